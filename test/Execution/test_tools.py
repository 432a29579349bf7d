"""The tools' own counting: tests, bad inputs, manifests."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import bad_inputs
import manifest
import suites


def ended(code, stderr):
    return subprocess.CompletedProcess([], code, "", stderr)


class CountTest(unittest.TestCase):
    def test_gtest_report(self):
        tests = [
            {"result": "COMPLETED"},
            {"result": "COMPLETED", "failures": [{"failure": "1 is not 2"}]},
            {"result": "SKIPPED"},
        ]
        report = json.dumps({"testsuites": [{"testsuite": tests}]})
        self.assertEqual(str(suites.count_gtest(report)), "1 passed, 1 failed, 1 skipped")

    def test_lit_report(self):
        codes = ["PASS", "FAIL", "UNRESOLVED", "TIMEOUT", "XPASS", "XFAIL", "UNSUPPORTED"]
        report = json.dumps({"tests": [{"code": code} for code in codes]})
        self.assertEqual(str(suites.count_lit(report)), "2 passed, 4 failed, 1 skipped")

    def test_program_without_a_report_has_failed(self):
        self.assertEqual(suites.run_gtest(Path("/bin/false")).failed, 1)
        self.assertEqual(suites.run_gtest(Path("/bin/true")).failed, 1)


class FaultsTest(unittest.TestCase):
    def test_one_clear_line_is_right(self):
        self.assertEqual(bad_inputs.faults(ended(4, "error: input 'x' is missing\n"), 4), [])

    def test_wrong_code_two_lines_and_none_are_faults(self):
        self.assertTrue(bad_inputs.faults(ended(1, "error: x\n"), 4))
        self.assertTrue(bad_inputs.faults(ended(4, "error: x\nerror: y\n"), 4))
        self.assertTrue(bad_inputs.faults(ended(4, ""), 4))
        self.assertTrue(bad_inputs.faults(ended(4, "error: x\nTraceback\n"), 4))

    def test_crash_is_a_fault(self):
        self.assertTrue(bad_inputs.faults(ended(-11, ""), 4))
        report = "error: x\n==1==ERROR: AddressSanitizer: heap-buffer-overflow\n"
        self.assertIn("crash", " ".join(bad_inputs.faults(ended(4, report), 4)))

    def test_each_unsupported_operation_needs_its_line(self):
        listed = [("a", "Op"), ("b", "Op")]
        right = "error: 2 of 3 nodes are not supported\n  a  Op\n  b  Op\n"
        self.assertEqual(bad_inputs.faults(ended(3, right), 3, listed), [])
        self.assertTrue(bad_inputs.faults(ended(3, right.replace("  b  Op\n", "")), 3, listed))

    def test_leftovers_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(bad_inputs.leftovers(Path(folder)), [])
            (Path(folder) / "half.npy").write_bytes(b"")
            self.assertEqual(bad_inputs.leftovers(Path(folder)), ["half.npy"])


class ManifestTest(unittest.TestCase):
    def test_defaults_and_both_spellings(self):
        self.assertEqual(manifest.field({"tensorParallel": 2}, "tensor_parallel"), 2)
        self.assertEqual(manifest.field({"tensor_parallel": 2}, "tensor_parallel"), 2)
        self.assertEqual(manifest.field({}, "tensor_parallel"), 0)

    def test_ranks_with_their_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "shard").write_bytes(bytes(12))
            ranks = [{"stage": 1, "weights": "shard"}, {"id": 1, "stage": -1}]
            (Path(folder) / "manifest.json").write_text(json.dumps({"ranks": ranks}))
            first, idle = manifest.ranks(folder)
        self.assertEqual((first.stage, first.weight_bytes), (1, 12))
        self.assertEqual((idle.rank, idle.stage, idle.weight_bytes), (1, -1, 0))
