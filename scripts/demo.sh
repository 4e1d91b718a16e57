#!/bin/sh
# A tour: finds the known topics of generated documents, with a privacy guarantee for each document.
set -eu
sotto=$1
out=demo-out
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$out"
say() {
  printf '\n%s\n' "$*"
}
show() {
  echo "\$ sotto $*"
  "$sotto" "$@"
}
say "1. Documents from six known topics, in place of records that cannot be shown:"
show generate corpus --documents 20000 --vocabulary 1000 --topics 6 --length 80 --out $out/made
say "2. What a private run would do, asked before a document is read:"
show topics $out/made/docword.txt --topics 6 --epsilon 1 --delta 1e-6 \
  --plan --documents 20000 --words 1000 --length 60
say "3. The topics, with epsilon 1 for each document:"
show topics $out/made/docword.txt --vocab $out/made/vocab.txt --topics 6 --epsilon 1 --delta 1e-6 \
  --truth $out/made/topics.npy --top 8 --out $out/found
say "4. Beside the topics that the documents were made from:"
"$here/compare_topics.py" $out/found $out/made
say "5. The whole result, its certificate and the command to run it again are on one page:"
echo "  $(pwd)/$out/found/report.html"
