"""Runs the bars of an issue and prints a table; called by tools/bars.

The bars of issue N are the list `BARS` of the module bars_N."""

import argparse
import dataclasses
import importlib
import json
import sys
import time

from bar import Context, Figure


def judge(bar, context):
    """Runs one bar; a bar that breaks off has failed, with the reason."""
    if bar.slow and not (context.slow or bar.number in context.only):
        return Figure("not run", None, "slow: give --slow or --only")
    try:
        return bar.run(context)
    except Exception as error:
        return Figure("broke off", False, f"{type(error).__name__}: {error}")


def verdict(figure):
    return {True: "pass", False: "MISS", None: "skip"}[figure.passed]


def print_row(bar, figure, seconds):
    print(f"{bar.number:2}  {verdict(figure)}  {bar.text}")
    print(f"          {figure.measured}   (bar: {bar.threshold}; took {seconds:.0f} s)")
    for line in filter(None, figure.reason.splitlines()):
        print(f"          {line}")
    sys.stdout.flush()


def parse(arguments):
    parser = argparse.ArgumentParser(prog="tools/bars", description=__doc__)
    parser.add_argument("issue", nargs="?", type=int, default=4)
    parser.add_argument("--shared", help="folder whose models/ holds the real models")
    parser.add_argument("--only", default="", help="numbers of bars, with commas")
    parser.add_argument("--slow", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def main():
    options = parse(sys.argv[1:])
    try:
        bars = importlib.import_module(f"bars_{options.issue}").BARS
    except ModuleNotFoundError:
        sys.exit(f"error: there are no bars for issue {options.issue}")
    only = {int(number) for number in options.only.split(",") if number}
    unknown = only - {bar.number for bar in bars}
    if unknown:
        sys.exit(f"error: issue {options.issue} has no bar {min(unknown)}")
    context = Context(options.shared, options.slow, only)
    rows = []
    for bar in bars:
        if only and bar.number not in only:
            continue
        start = time.monotonic()
        figure = judge(bar, context)
        seconds = time.monotonic() - start
        rows.append(
            {
                "bar": bar.number,
                "text": bar.text,
                "threshold": bar.threshold,
                "verdict": verdict(figure),
                "seconds": round(seconds, 1),
                **dataclasses.asdict(figure),
            }
        )
        if not options.json:
            print_row(bar, figure, seconds)
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        verdicts = [row["verdict"] for row in rows]
        print(
            f"{verdicts.count('pass')} reached, {verdicts.count('MISS')} missed, {verdicts.count('skip')} not run"
        )
    return 1 if any(row["verdict"] == "MISS" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
