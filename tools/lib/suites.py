"""Runs the test suites and counts their tests; called by tools/test.

A suite that crashes, or in which no test ran, counts as one failure more."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import env

# After so long a GoogleTest program counts as hanging.
UNIT_SECONDS = 900


class Counts:
    """Tests that passed, failed and were skipped."""

    def __init__(self, passed=0, failed=0, skipped=0):
        self.passed, self.failed, self.skipped = passed, failed, skipped

    def __add__(self, other):
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def unit_binaries():
    """The GoogleTest programs, as test/Unit/CMakeLists.txt lists them."""
    listing = env.BUILD / "test" / "Unit" / "tests.txt"
    return [Path(line) for line in listing.read_text().split()]


def count_gtest(report):
    """Counts of the JSON report that GoogleTest writes."""
    counts = Counts()
    for suite in json.loads(report)["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("failures"):
                counts.failed += 1
            elif test.get("result") == "COMPLETED":
                counts.passed += 1
            else:
                counts.skipped += 1
    return counts


def run_gtest(binary, arguments=()):
    """Runs one GoogleTest program; its output is shown where a test fails."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            ["timeout", str(UNIT_SECONDS), binary, f"--gtest_output=json:{report}", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        counts = count_gtest(report.read_text()) if report.exists() else Counts()
    ran = counts.passed + counts.failed + counts.skipped
    if not ran or (done.returncode != 0 and not counts.failed):
        counts.failed = 1
    if counts.failed:
        print(done.stdout)
        print(f"{binary.name}: exit code {done.returncode}")
    return counts


def unit():
    binaries = unit_binaries()
    return sum(map(run_gtest, binaries), Counts())


LIT_CODES = {
    "PASS": "passed",
    "FLAKYPASS": "passed",
    "XFAIL": "passed",
    "UNSUPPORTED": "skipped",
    "EXCLUDED": "skipped",
    "SKIPPED": "skipped",
}


def count_lit(report):
    """Counts of lit's JSON report; a code that is no success is a failure."""
    counts = Counts()
    for test in json.loads(report)["tests"]:
        kind = LIT_CODES.get(test["code"], "failed")
        setattr(counts, kind, getattr(counts, kind) + 1)
    return counts


def run_lit(*paths, arguments=()):
    """Runs lit on paths below the build's test folder; returns counts."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from lit.main import main; main()",
                "-sv",
                "--no-progress-bar",
                "-o",
                report,
                *arguments,
                *paths,
            ]
        )
        counts = count_lit(report.read_text()) if report.exists() else Counts()
    if done.returncode != 0 and not counts.failed:
        counts.failed = 1
    return counts


def lit():
    return run_lit(env.BUILD / "test")


class CountingResult(unittest.TextTestResult):
    def addSuccess(self, test):
        super().addSuccess(test)
        self.successes = getattr(self, "successes", 0) + 1


def execution():
    folder = env.ROOT / "test" / "Execution"
    sys.path.insert(0, str(folder))
    tests = unittest.defaultTestLoader.discover(str(folder))
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=CountingResult).run(tests)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    return Counts(getattr(result, "successes", 0), failed, len(result.skipped))


def conformance():
    """The ONNX node tests that are supported, on the grid that uses everything."""
    sys.path.insert(0, str(env.ROOT / "test" / "Conformance"))
    import node_tests

    counts = Counts()
    for name, end in node_tests.check_all(node_tests.supported(), (1, 2, 2)):
        if end != "right":
            print(f"{name}: {end}")
        counts += Counts(passed=1) if end == "right" else Counts(failed=1)
    return counts


def format_check():
    """clang-format over all tracked C and C++ files: one test per file."""
    patterns = ["*.cpp", "*.h", "*.c"]
    listing = subprocess.run(
        ["git", "-C", env.ROOT, "ls-files", "-z", "--", *patterns], capture_output=True, text=True
    )
    if listing.returncode != 0:
        print(listing.stderr)
        return Counts(failed=1)
    counts = Counts()
    for name in filter(None, listing.stdout.split("\0")):
        if not (env.ROOT / name).exists():
            continue
        done = subprocess.run(["clang-format-19", "--dry-run", "-Werror", env.ROOT / name])
        counts += Counts(failed=1) if done.returncode else Counts(passed=1)
    return counts


SUITES = {
    "unit": (unit, "GoogleTest programs"),
    "lit": (lit, "FileCheck tests of the passes and the command line"),
    "execution": (execution, "models on grids of ranks, against ONNX Runtime"),
    "conformance": (conformance, "ONNX node tests, against their stored outputs"),
    "format": (format_check, "clang-format over the tracked C++ files"),
}


def main(names):
    total, rows = Counts(), []
    for name in names or SUITES:
        print(f"-- suite {name}", flush=True)
        try:
            counts = SUITES[name][0]()
        except Exception as error:  # a broken suite must not hide the others
            print(f"error: suite {name} broke off: {error!r}")
            counts = Counts(failed=1)
        if not (counts.passed or counts.failed):
            print(f"error: suite {name} ran no test")
            counts.failed = 1
        rows.append((name, counts))
        total += counts
    for name, counts in rows:
        print(
            f"{name + ':':<12} {counts.passed} of {counts.passed + counts.failed} right, {counts.skipped} left out"
        )
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--list"]:
        for suite, (_, text) in SUITES.items():
            print(f"  {suite:<10} {text}")
        sys.exit(0)
    unknown = [name for name in sys.argv[1:] if name not in SUITES]
    if unknown:
        sys.exit(f"error: unknown suite '{unknown[0]}'; there are: {', '.join(SUITES)}")
    os.chdir(env.ROOT)
    sys.exit(main(sys.argv[1:]))
