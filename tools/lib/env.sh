# shellcheck shell=bash
# Sourced by every script of tools/: where things are, the compiler cache's
# settings, and the few shell functions that the scripts share.

TAKT_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
# What Debian does not package: a Python environment, ONNX's C++ library, models.
TAKT_DEPS="$(realpath -m "${TAKT_DEPS:-$TAKT_ROOT/.deps}")"
TAKT_BUILD="$(realpath -m "${TAKT_BUILD:-$TAKT_ROOT/build/release}")"
TAKT_PYTHON="$TAKT_DEPS/venv/bin/python"
export TAKT_ROOT TAKT_DEPS TAKT_BUILD TAKT_PYTHON

# Precompiled headers are cached only if the cache may ignore time stamps.
export CCACHE_SLOPPINESS=pch_defines,time_macros
export PYTHONDONTWRITEBYTECODE=1

# takt_step TEXT: one line of progress on standard error.
takt_step() { printf -- '-- %s\n' "$*" >&2; }

# takt_fail CODE TEXT: one line that says what is wrong, then exit CODE.
takt_fail() {
  local code="$1"
  shift
  printf 'error: %s\n' "$*" >&2
  exit "$code"
}

# takt_usage FILE: the comment at the top of a script is its help.
takt_usage() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$1"; }

# takt_quiet NAME COMMAND...: runs it with its output in a log under the
# dependencies' folder; shows the log's end and fails where the command fails.
takt_quiet() {
  local log="$TAKT_DEPS/logs/$1.log"
  mkdir -p "$TAKT_DEPS/logs"
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 25 "$log" >&2
    takt_fail 6 "'$*' failed; its whole output is in $log"
  fi
}

# takt_build TARGET...: configures the release preset and builds the targets. In
# a pipe or a log only warnings and errors are shown.
takt_build() {
  local quiet=()
  [[ -t 2 ]] || quiet=(--quiet)
  takt_step "build ($*)"
  takt_quiet configure cmake --preset release -S "$TAKT_ROOT" -B "$TAKT_BUILD" \
    -DTAKT_DEPS_DIR="$TAKT_DEPS"
  ninja -C "$TAKT_BUILD" "${quiet[@]}" "$@" >&2
}
