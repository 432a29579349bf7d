"""Bar 9: each bad input is refused with one clear line and the documented exit
code, leaves nothing behind and crashes nothing."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import bad_models
import bad_requests
import bundle
import env

# Exit codes of takt and of a bundle's run.
USAGE, UNSUPPORTED, BAD_INPUT, DAMAGED, ENVIRONMENT = 2, 3, 4, 5, 6

CRASH = re.compile(
    r"Sanitizer|runtime error:|Stack dump|PLEASE submit|terminate called|core dumped|Assertion"
)
# What may stand beside the error's line.
HARMLESS = re.compile(r"^(warning: |remark: |note: |see |\s*$)")


def faults(done, code, listed=()):
    """What is wrong with how a program ended; empty where all is right.
    `listed`: words of which each must be on an indented line of its own."""
    found = []
    if done.returncode != code:
        found.append(f"exit code {done.returncode} where {code} was expected")
    if CRASH.search(done.stderr):
        found.append("crash: " + CRASH.search(done.stderr).group())
    lines = done.stderr.splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    if len(errors) != 1:
        found.append(f"{len(errors)} lines start with 'error: '")
    rest = [line for line in lines if line not in errors and not HARMLESS.match(line)]
    details = [line for line in rest if line.startswith("  ")]
    if [line for line in rest if line not in details] or (details and not listed):
        found.append(f"other lines: {rest[:3]}")
    for words in listed:
        if not any(all(word in line for word in words) for line in details):
            found.append(f"no line names {words}")
    if len(listed) != len(details):
        found.append(f"{len(details)} lines of detail where {len(listed)} were expected")
    return found


def leftovers(path):
    """Files below an output path that should not be there."""
    if path.is_dir():
        return [str(file.relative_to(path)) for file in path.rglob("*") if file.is_file()]
    return [path.name] if path.exists() else []


def stderr_of(done):
    """The end of a program's standard error, on one line."""
    return "stderr: " + " | ".join(done.stderr.splitlines())[-300:]


def check(done, code, output, listed=()):
    found = faults(done, code, listed)
    if leftovers(output):
        found.append(f"left behind: {leftovers(output)[:3]}")
    return found + ([stderr_of(done)] if found else [])


def call(*command):
    return bundle.call(command, seconds=120, check=False)


def compile_cases(takt):
    """Yields (name, faults) for models and options that compile must refuse."""
    for name, make, code in bad_models.CASES:
        with tempfile.TemporaryDirectory() as work:
            folder, output = Path(work), Path(work) / "output" / "out.takt"
            output.parent.mkdir()
            model = make(folder)
            words = [
                (node, op, domain, str(version))
                for node, op, domain, version in bad_models.UNSUPPORTED
            ]
            listed = words if code == UNSUPPORTED else ()
            yield name, check(
                call(takt, "compile", model, "-o", output), code, output.parent, listed
            )
    for options in (["--tp", "0"], ["--pp", "-1"], ["--tp", "two"], ["--surprise"]):
        with tempfile.TemporaryDirectory() as work:
            output = Path(work) / "output"
            output.mkdir()
            command = [takt, "compile", bad_models.GOOD, "-o", output / "out.takt", *options]
            yield "usage: " + " ".join(options), check(call(*command), USAGE, output)


def run_cases(takt, compiled):
    """Yields (name, faults) for requests that a bundle of bert_eager must refuse."""
    makers = [
        (name, lambda folder, inputs=inputs: bad_requests.write_request(folder, inputs()))
        for name, inputs in bad_requests.REQUESTS
    ]
    for name, make in makers + bad_requests.FILES:
        with tempfile.TemporaryDirectory() as work:
            requests, output = Path(work) / "requests", Path(work) / "output"
            make(requests)
            done = call(compiled / "run", "--requests", requests, "--output", output)
            yield name, check(done, BAD_INPUT, output)


def bundle_cases(takt, compiled):
    """Yields (name, faults) for bundles whose files were changed."""
    for name, damage in bad_requests.BUNDLES:
        with tempfile.TemporaryDirectory() as work:
            copy, requests, output = (
                Path(work) / part for part in ("copy.takt", "requests", "output")
            )
            shutil.copytree(compiled, copy, symlinks=True)
            damage(copy)
            bad_requests.write_request(requests, bad_requests.changed())
            done = call(copy / "run", "--requests", requests, "--output", output)
            yield name, check(done, DAMAGED, output)


# Mounts a small file system in a name space of its own, fills it but for a page,
# runs the command and lists what it left.
FULL_DISK = """
mount -t tmpfs -o size="$1" tmpfs "$2" || exit 99
head -c "$3" /dev/zero >"$2/filler"
left="$4"; disk="$2"; shift 4
"$@"; code=$?
(cd "$disk" && find . -type f ! -name filler) >"$left"
exit $code
"""


def on_full_disk(size, filler, disk, work, command):
    left = Path(work) / "left"
    disk.mkdir()
    mount = ["unshare", "--mount", "bash", "-c", FULL_DISK, "bash", size, disk, filler, left]
    done = call(*mount, *command)
    found = faults(done, ENVIRONMENT)
    if left.exists() and left.read_text():
        found.append("left behind: " + left.read_text().split()[0])
    return found + ([stderr_of(done)] if found else [])


def full_disk_cases(takt, compiled):
    with tempfile.TemporaryDirectory() as work:
        disk = Path(work) / "disk"
        command = [takt, "compile", bad_models.GOOD, "-o", disk / "out.takt"]
        yield "full disk: compile", on_full_disk(65536, 0, disk, work, command)
    with tempfile.TemporaryDirectory() as work:
        disk, requests = Path(work) / "disk", Path(work) / "requests"
        bad_requests.write_request(requests, bad_requests.changed())
        command = [compiled / "run", "--requests", requests, "--output", disk / "output"]
        yield "full disk: run", on_full_disk(8192, 8192, disk, work, command)


def can_mount():
    return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"]).returncode == 0


def run_all(programs):
    """Runs every case with every `takt`; (number right, list of misses)."""
    good, misses = 0, []
    for takt in programs:
        with tempfile.TemporaryDirectory() as work:
            compiled = Path(work) / "bert.takt"
            bundle.compile_model(
                env.DEPS / "models" / "bert_eager" / "model.onnx", compiled, (1, 2, 2), takt=takt
            )
            groups = [compile_cases(takt), run_cases(takt, compiled), bundle_cases(takt, compiled)]
            if can_mount():
                groups.append(full_disk_cases(takt, compiled))
            else:
                misses.append("full disk: needs root, for a small file system of its own")
            for name, found in (case for group in groups for case in group):
                good += not found
                if found:
                    misses.append(f"{takt.parents[1].name}: {name}: " + "; ".join(found))
    return good, misses
