#!/bin/sh
# clang-tidy over the library and the program; any finding fails.
set -eu
cd "$(dirname "$0")/.."
jobs=${1:-2}
cmake --preset debug > /dev/null
find sotto cli -name '*.cc' ! -name '*_test.cc' -print0 |
  xargs -0 -n 1 -P "$jobs" clang-tidy -p build/debug --quiet --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option 2> /dev/null
