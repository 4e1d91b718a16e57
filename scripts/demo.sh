#!/bin/sh
# From nothing to a decomposed tensor: makes one with known components and noise, and finds them.
set -eu
sotto=$1
out=demo-out
rm -rf "$out"
show() {
  echo
  echo "\$ sotto $*"
  "$sotto" "$@"
}
show generate tensor --dim 200 --components 6 --noise gaussian --noise-norm 0.02 --out $out/made
show decompose $out/made/tensor.npy --components 6 --out $out/found
echo
echo "The weights that were put in:"
sed -n 's/.*"weights": \[\(.*\)\].*/  \1/p' $out/made/result.json | tail -n 1
echo "The result, with its vectors, is in $out/found."
