"""Where things are: the same variables as env.sh, for Python."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEPS = Path(os.environ.get("TAKT_DEPS") or ROOT / ".deps")
BUILD = Path(os.environ.get("TAKT_BUILD") or ROOT / "build" / "release")
TAKT = BUILD / "bin" / "takt"
LLVM_BIN = Path("/usr/lib/llvm-19/bin")
