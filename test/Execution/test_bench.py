"""The benchmark's harness: its arithmetic, and one short comparison. What engines
take is never judged here: a busy machine would fail it."""

import math
import sys
import tempfile
import types
import unittest

import numpy as np

import env

sys.path.insert(0, str(env.ROOT / "test" / "Bench"))
import bench
import cases
import engines
import report
import rounds
from rounds import Sample


class RoundsTest(unittest.TestCase):
    def test_engines_take_turns_and_change_their_order(self):
        calls = []
        engines_ = {name: lambda name=name: calls.append(name) or name for name in "ab"}
        samples = rounds.interleave(engines_, 3)
        self.assertEqual("".join(calls), "abbaab")
        self.assertEqual(samples, {"a": ["a"] * 3, "b": ["b"] * 3})

    def test_ratio_is_formed_within_a_round(self):
        # The machine became twice as slow: the ratio did not change.
        self.assertAlmostEqual(rounds.ratio([1, 2, 2], [2, 4, 4]), 0.5)

    def test_spread_is_one_where_odd_and_even_rounds_agree(self):
        self.assertAlmostEqual(rounds.spread([3.0, 3.0, 3.0]), 1.0)
        self.assertAlmostEqual(rounds.spread([3.0, 6.0, 3.0, 6.0]), 2.0)
        self.assertAlmostEqual(rounds.spread([6.0, 3.0, 6.0, 3.0]), 2.0)
        self.assertTrue(math.isnan(rounds.spread([3.0])))

    def test_summary_holds_medians(self):
        found = rounds.summarize([Sample(1, 9), Sample(5, 8), Sample(2, 7)])
        self.assertEqual((found.seconds, found.rate), (2, 8))

    def test_round_has_enough_requests(self):
        self.assertEqual(bench.Effort(seconds=1).repeat(0.1), 10)
        self.assertEqual(bench.Effort(seconds=1).repeat(60), 3)


class CasesTest(unittest.TestCase):
    def test_sizes_of_a_known_model_can_be_changed(self):
        case = cases.named("gpt2-small", {"past": 5})
        self.assertEqual(case.sizes, {"batch": 1, "seq": 1, "past": 5})
        self.assertEqual(str(case), "gpt2-small batch 1 seq 1 past 5")

    def test_missing_model_is_named(self):
        self.assertRaisesRegex(FileNotFoundError, "resnet50", cases.locate, "resnet50", None)

    def test_wrong_answer_is_not_timed(self):
        one = np.ones(3, np.float32)
        liar = types.SimpleNamespace(name="liar", outputs=lambda names: {"y": one + 1})
        self.assertRaisesRegex(AssertionError, "liar differs", cases.check, liar, {"y": one})


class BenchTest(unittest.TestCase):
    def test_small_model_against_every_engine(self):
        arguments = ["bert_eager", "--sequence", "9", "--batch", "2", "--grid", "1", "2", "1"]
        options = bench.parse(arguments)
        (case,) = bench.chosen(options)
        row = bench.run_case(case, options, bench.Effort(rounds=2, seconds=0.01))
        self.assertLess(row.difference, 1e-4)
        self.assertEqual(list(row.summaries), ["takt 1x2x1", *engines.installed()])
        for summary in row.summaries.values():
            self.assertGreater(summary.seconds, 0)
        page = report.page([row], options, bench.Effort())
        self.assertIn("| bert_eager batch 2 seq 9 |", page)
        self.assertIn("onnxruntime", page)
        self.assertNotIn(tempfile.gettempdir(), page)
