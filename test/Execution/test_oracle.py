"""The harness itself: what counts as agreement, names of files, input sets."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

import bundle
import model_inputs
import models
import oracle


def array(*values):
    return np.array(values, np.float32)


class CompareTest(unittest.TestCase):
    def test_small_difference_agrees(self):
        agreement = oracle.compare({"y": array(1.0, 2.00001)}, {"y": array(1.0, 2.0)})
        self.assertTrue(agreement)
        self.assertAlmostEqual(agreement.difference, 1e-5, delta=1e-6)

    def test_limit_grows_with_the_largest_output_but_not_below_one(self):
        self.assertAlmostEqual(oracle.allowed_difference(array(-50.0)), 5e-3)
        self.assertAlmostEqual(oracle.allowed_difference(array(0.01)), 1e-4)
        self.assertAlmostEqual(oracle.allowed_difference(array(0.5), 1e-5), 5e-6)

    def test_difference_beyond_the_limit_is_found_and_named(self):
        want = {"a": array(1.0), "b": array(1.0)}
        agreement = oracle.compare({"a": array(1.0), "b": array(1.1)}, want)
        self.assertFalse(agreement)
        self.assertEqual(agreement.place, "b")

    def test_nan_where_a_number_was_expected_differs(self):
        self.assertFalse(oracle.compare({"y": array(np.nan)}, {"y": array(1.0)}))
        self.assertFalse(oracle.compare({"y": array(1.0)}, {"y": array(np.nan)}))
        self.assertFalse(oracle.compare({"y": array(np.inf)}, {"y": array(-np.inf)}))

    def test_equal_infinities_agree(self):
        self.assertTrue(oracle.compare({"y": array(np.inf, 1)}, {"y": array(np.inf, 1)}))

    def test_wrong_shape_type_or_name_differs(self):
        want = {"y": np.zeros((2, 3), np.float32)}
        self.assertFalse(oracle.compare({"y": np.zeros((3, 2), np.float32)}, want))
        self.assertFalse(oracle.compare({"y": np.zeros((2, 3), np.float64)}, want))
        self.assertFalse(oracle.compare({"z": np.zeros((2, 3), np.float32)}, want))

    def test_empty_output_agrees(self):
        empty = {"y": np.zeros((2, 0), np.float32)}
        self.assertTrue(oracle.compare(empty, dict(empty)))


class FilesTest(unittest.TestCase):
    def test_names_become_safe_file_names(self):
        self.assertEqual(bundle.file_name("past.0/key:1"), "past.0_key_1.npy")

    def test_missing_and_extra_results_are_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            bundle.write_requests(folder, [{"y": array(1.0)}])
            self.assertEqual(bundle.read_results(folder, 1, ["y"])[0]["y"], array(1.0))
            self.assertRaises(AssertionError, bundle.read_results, folder, 2, ["y"])
            np.save(Path(folder) / "0000" / "z.npy", array(2.0))
            self.assertRaises(AssertionError, bundle.read_results, folder, 1, ["y"])

    def test_failing_and_hanging_programs_are_errors(self):
        with self.assertRaises(bundle.TaktError) as caught:
            bundle.call(["sh", "-c", "echo 'error: bad' >&2; exit 4"])
        self.assertEqual((caught.exception.code, caught.exception.stderr), (4, "error: bad\n"))
        self.assertRaises(bundle.TaktError, bundle.call, ["sleep", "60"], seconds=0.2)


class InputsTest(unittest.TestCase):
    def test_sets_are_accepted_by_the_models_and_outputs_vary(self):
        for model in models.every_model():
            with self.subTest(model.name):
                for outputs in model.expected():
                    for name, value in outputs.items():
                        self.assertTrue(np.isfinite(value).all(), name)
                        self.assertGreater(value.std(), 1e-3, name)

    def test_masks_have_padding_and_positions_do_not_count_it(self):
        inputs = model_inputs.gpt2_inputs(5, 2, 7, 3)
        self.assertEqual(inputs["attention_mask"][0, 0], 0)
        self.assertEqual(inputs["attention_mask"][-1].min(), 1)
        self.assertLess(inputs["position_ids"][0, -1], 9)
        self.assertEqual(inputs["position_ids"][1].tolist(), [3, 4, 5, 6, 7, 8, 9])

    def test_seeds_repeat(self):
        first, second = model_inputs.minilm_inputs(1, 3, 16), model_inputs.minilm_inputs(1, 3, 16)
        for name in first:
            np.testing.assert_array_equal(first[name], second[name])
