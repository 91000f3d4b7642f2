#!/bin/sh
# Prints the newest Python on the machine that can make an environment and is newer than the one given.
# Usage: scripts/newest.sh PYTHON. Exit 1: there is none.
set -eu
newer='import sys, venv, ensurepip; raise SystemExit(sys.version_info[:2] <= tuple(map(int, sys.argv[1].split("."))))'
known=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
managed=$(pyenv root 2>/dev/null || echo "${HOME:-/nowhere}/.pyenv")/versions
for minor in 14 13 12; do
    for candidate in "python3.$minor" "$managed/3.$minor".*/bin/python; do
        if "$candidate" -c "$newer" "$known" 2>/dev/null; then
            command -v "$candidate"
            exit 0
        fi
    done
done
exit 1
