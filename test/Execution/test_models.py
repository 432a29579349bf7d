"""Every model on every grid against ONNX Runtime: one test each."""

import os
import tempfile
import unittest

import models
import run_model

ALL = bool(os.environ.get("TAKT_ALL_GRIDS"))
GRIDS = models.ALL_GRIDS if ALL else models.CI_GRIDS
FAMILY_GRIDS = models.FAMILY_GRIDS if ALL else models.FAMILY_CI_GRIDS


class ModelTest(unittest.TestCase):
    """Holds the tests that `add_tests` makes."""


def add_tests(model, grids):
    expected = []

    def add(grid):
        def test(self):
            if not expected:
                expected.extend(model.expected())
            with tempfile.TemporaryDirectory() as work:
                agreement = run_model.check(model, grid, work, expected)
            self.assertTrue(agreement, str(agreement))

        setattr(ModelTest, f"test_{model.name}_{'x'.join(map(str, grid))}", test)

    for grid in grids:
        add(grid)


for each in models.repository_models():
    add_tests(each, GRIDS)
for each in models.repository_families():
    add_tests(each, FAMILY_GRIDS)
