// The input of a task, from memory or from a file, and what a plan needs to know of it, from the
// header of the file alone.
//
// From a file: where privacy was asked for, the data stays sensitive, its format follows from
// public marks and is named in the certificate, and nothing of it is ever quoted; else it is
// declared public.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/export.h"
#include "sotto/base/sensitive.h"
#include "sotto/io/file_options.h"
#include "sotto/release/plan.h"
#include "sotto/tensor/corpus.h"
#include "sotto/tensor/point_source.h"
#include "sotto/tensor/sparse_tensor.h"

namespace SOTTO_API sotto {

class Shards;

// Data in memory: protected, or declared public for a reason.
template <class T>
Input<T> sensitive_input(T data) {
  return Input<T>(Sensitive<T>(std::move(data)));
}
template <class T>
Input<T> public_input(T data, const std::string& reason) {
  return Input<T>(Sensitive<T>(std::move(data)), PublicDeclaration(reason));
}

// How a tensor is read. `missing`: NaN stand for unknown entries; `sum_repeated`: values that a
// .tns file gives for one place are added up, not refused. A private run takes neither.
struct TensorReading {
  bool missing = false, sum_repeated = false;
  IndexBase index_base = IndexBase::automatic;  // of a .tns file
};

// Data in a file.
Input<AnyTensor> tensor_input(const std::string& path, TensorFormat format, bool is_private,
                              const TensorReading& reading = {});
Input<Corpus> documents_input(const std::string& path, CorpusFileOptions file, bool is_private);
Input<Points> points_input(const std::string& path, PointFileOptions file, bool is_private);
// Several files, all in one format, one after the other. With `shards`, which must outlive the
// input, the sums over the records are taken by them (tensor/shards.h).
Input<Points> points_input(const std::vector<std::string>& paths, PointFileOptions file,
                           bool is_private, Shards* shards = nullptr);

// The shape of a tensor from the header of a file, .npy or .tns with a Tensor Toolbox header, which
// is public; no more of it is read. The second refuses a shape that cannot be symmetric.
PublicDims tensor_dims(const std::string& path);
PublicShape tensor_shape(const std::string& path);

// The shape of files of private points, as far as they state it without being read.
PublicPointShape points_shape(const std::vector<std::string>& paths, PointFileOptions file);

// The shape of a stream: given, or from the headers of .npy files. `batch` is the number of records
// for each answer, if it is fixed; the number of all records need not be known then.
PublicStream stream_shape(const std::vector<std::string>& paths, std::optional<Index> dim,
                          std::optional<Index> records, Index batch);

// An error about an input as a whole names its file: an error without a place gets `place`.
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
