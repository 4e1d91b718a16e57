#!/bin/sh
# Makes build/venv, the virtual environment in which the Python package is built and tested. Quiet
# and quick when it is there.
set -eu
cd "$(dirname "$0")/.."
needs=python/requirements.txt
has=build/venv/requirements.txt
if [ -x build/venv/bin/python ] && cmp -s "$needs" "$has"; then
  exit 0
fi
# Debian's own interpreter: its headers are among the packages of packages.txt.
/usr/bin/python3 -m venv --clear build/venv
build/venv/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -r "$needs"
cp "$needs" "$has"
