"""A warm run allocates nothing of its own, and the counter does count."""

import tempfile
import unittest

import allocations
import models


class AllocationsTest(unittest.TestCase):
    def test_only_the_library_allocates_in_a_warm_run(self):
        model = next(one for one in models.repository_families() if one.name == "t5_enc")
        with tempfile.TemporaryDirectory() as work:
            counter = allocations.build_counter(work)
            program = allocations.Program(model, work)
            own, library = allocations.count(program, counter, 1)
            self.assertGreater(own, 0)
            self.assertGreater(library, 0)
            self.assertEqual(allocations.per_request(program, counter)[0], 0)
