#!/bin/sh
# Installs the Debian packages of packages.txt that are missing. Quiet when there are none.
# `setup.sh browser` also installs the browser that tests the report page, `setup.sh java` what Spark
# runs on, `setup.sh clang` the other compiler with its sanitizers; all are large.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
missing=""
packages=$(grep -v '^#' "$here/packages.txt")
[ "${1:-}" != "browser" ] || packages="$packages chromium"
[ "${1:-}" != "clang" ] || packages="$packages clang libclang-rt-dev valgrind"
if [ "${1:-}" = "java" ] && ! command -v java > /dev/null; then
  packages="$packages default-jre-headless"
fi
for package in $packages; do
  state=$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  case "$state" in
    ii*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing > /dev/null
