// The input of a task, from a file, and what a plan needs to know of it, from its header alone.
//
// Where privacy was asked for, the data stays sensitive, its format follows from public marks and
// is named in the certificate, and nothing of it is ever quoted; else it is declared public.
#pragma once

#include <optional>
#include <string>

#include "sotto/base/error.h"
#include "sotto/base/sensitive.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/read_points.h"
#include "sotto/io/read_tensor.h"
#include "sotto/release/one_pass_records.h"
#include "sotto/release/private_points.h"
#include "sotto/release/protected_tensor.h"

namespace sotto {

Input<AnyTensor> tensor_input(const std::string& path, TensorFormat format, bool is_private);
Input<Corpus> documents_input(const std::string& path, CorpusFileOptions file, bool is_private);
Input<Points> points_input(const std::string& path, PointFileOptions file, bool is_private);

// The shape of a tensor from the header of an .npy file, which is public; no more of it is read.
PublicShape tensor_shape(const std::string& path);

// The shape of a file of private points, as far as it states it without being read.
PublicPointShape points_shape(const std::string& path, PointFileOptions file);

// The shape of a stream: given, or from the header of an .npy file. `batch`: records for each
// answer, where they are fixed; then their number in all need not be known.
PublicStream stream_shape(const std::string& path, std::optional<Index> dim,
                          std::optional<Index> records, Index batch);

// What is wrong with an input as a whole is said of its file: an error that names no place gets
// this one.
template <class Work>
auto at_place(const std::string& place, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!error.place().empty() || error.fault() != Fault::input) throw;
    throw Error(error.message(), place, error.fault(), error.condition(), error.raised_at());
  }
}

}  // namespace sotto
