#!/bin/sh
# Runs the tests of the Python package with the module in build/PRESET (target sotto_python).
#
# usage: test_python.sh PRESET [ARGUMENTS OF PYTEST]
set -eu
cd "$(dirname "$0")/.."
preset=$1
shift
if [ "$preset" = asan ]; then
  # A Python without sanitizers loads their library first, and with it the one whose exceptions it
  # must see. Python keeps memory until its end, and hands out small pieces by itself.
  preload="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so)"
  export ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc
  # These run little of ours, and long.
  set -- -k 'not (test_types or test_plot or test_sklearn_contract or test_docs)' "$@"
fi
export PYTHONPATH="$PWD/build/$preset/python"
exec env LD_PRELOAD="${preload:-}" build/venv/bin/python -m pytest -q -p no:cacheprovider \
  python/tests "$@"
