"""Every model on every grid against ONNX Runtime: one test each."""

import os
import tempfile
import unittest

import models
import oracle
import run_model

GRIDS = models.ALL_GRIDS if os.environ.get("TAKT_ALL_GRIDS") else models.CI_GRIDS


class ModelTest(unittest.TestCase):
    """Holds the tests that `add_tests` makes."""


def add_tests(model):
    expected = []

    def add(grid):
        def test(self):
            if not expected:
                reference = oracle.Reference(model.path)
                expected.extend(reference(inputs) for inputs in model.sets)
            with tempfile.TemporaryDirectory() as work:
                agreement = run_model.check(model, grid, work, expected)
            self.assertTrue(agreement, str(agreement))

        setattr(ModelTest, f"test_{model.name}_{'x'.join(map(str, grid))}", test)

    for grid in GRIDS:
        add(grid)


for each in models.repository_models():
    add_tests(each)
