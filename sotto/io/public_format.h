// The format of a file of private records, from public marks alone.
//
// In a private run nothing may be decided by looking at the records: a format that is recognised by
// the first lines may change with one person's record, and with it how all others are read. The
// format is therefore
//   1. what `format` says; else
//   2. what the name of the file says, ".gz" left out (format_by_name); else, where that is nothing
//   3. the mark that a format puts in front of the records: that of .npy, but not the first line of
//      MatrixMarket, which a document of text may be as well; else
//   4. an Error that asks for `format`, with no word about the content.
// Whether the file is packed by gzip follows from its name alone. The certificate lists the format
// among the public facts.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sotto/io/byte_source.h"

namespace sotto {

// As in `format`; empty when the name tells nothing:
//
//   .npy                     npy       .csv      csv
//   .tns                     tns       .tsv      tsv
//   .mtx .mm                 mm        .txt      text, or uci when the name begins with "docword"
//   .svm .svmlight .libsvm   svmlight  .data     u.data
//   .ldac .lda-c .lda        lda-c     .dat      movielens
//   .raw .f4 .f8             raw
//
// Capitals make no difference.
std::string_view format_by_name(std::string_view path);

// Raw numbers of 4 bytes.
bool is_named_f4(std::string_view path);

// The format of `bytes`, opened from `path`, among those that a reader `reads`.
std::string public_format(std::string_view path, ByteSource& bytes,
                          std::span<const std::string_view> reads);

// How a file of records is packed.
inline Packing packing_of(bool records_are_private) {
  return records_are_private ? Packing::by_name : Packing::by_content;
}

// The line of the certificate: "the format of the file: svmlight".
std::string format_fact(std::string_view format);

}  // namespace sotto
