#!/bin/sh
# Formats all sources, or with --check fails when one is not formatted.
set -eu
cd "$(dirname "$0")/.."
files=$(find sotto cli cluster python bench tests -name '*.h' -o -name '*.cc')
if [ "${1:-}" = "--check" ]; then
  # shellcheck disable=SC2086
  exec clang-format --dry-run -Werror $files
fi
# shellcheck disable=SC2086
exec clang-format -i $files
