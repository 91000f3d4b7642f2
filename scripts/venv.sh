#!/bin/sh
# Makes .venv with the first interpreter that is new enough, or keeps the one that is there.
# Usage: scripts/venv.sh [FOLDER]. PYTHON=... chooses the interpreter.
set -eu
venv="${1:-.venv}"
usable='import sys, venv, ensurepip; raise SystemExit(sys.version_info < (3, 11))'
new_enough='import sys, pip; raise SystemExit(sys.version_info < (3, 11))'

if "$venv/bin/python" -c "$new_enough" 2>/dev/null; then
    exit 0
fi
for candidate in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python; do
    if "$candidate" -c "$usable" 2>/dev/null; then
        "$candidate" -m venv --clear "$venv"
        exit 0
    fi
done
found="$(python3 -c 'import platform; print(platform.python_version())' 2>/dev/null || echo none)"
cat >&2 <<MESSAGE
recollect needs Python 3.11 or newer with the venv and ensurepip modules; python3 here is: $found.
Install one (on Debian and Ubuntu: python3 and python3-venv), or name it: make PYTHON=/path/to/python3.12 TARGET
MESSAGE
exit 1
