#include "sotto/tasks/input.h"

#include <utility>

#include "sotto/io/npy.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/read_points.h"
#include "sotto/io/read_tensor.h"
#include "sotto/release/one_pass_records.h"
#include "sotto/release/private_points.h"
#include "sotto/release/protected_tensor.h"
#include "sotto/tasks/declare.h"

namespace sotto {
namespace {

template <class T, class Format>
Input<T> input_of(Sensitive<T> data, bool is_private, const std::string& what, Format format) {
  Input<T> input = declared(std::move(data), is_private, what);
  input.add_public_fact(format_fact(name_of(format)));
  return input;
}

}  // namespace

Input<AnyTensor> tensor_input(const std::string& path, TensorFormat format, bool is_private,
                              const TensorReading& reading) {
  ReadTensorOptions options;
  options.format = format;
  options.missing = reading.missing && !is_private;
  const bool sum = reading.sum_repeated && !is_private;
  options.duplicates = sum ? Duplicates::sum : Duplicates::refuse;
  options.records_are_private = is_private;
  TensorFormat used{};
  Sensitive<AnyTensor> data = read_tensor(path, options, &used);
  return input_of(std::move(data), is_private, "the tensor", used);
}

Input<Corpus> documents_input(const std::string& path, CorpusFileOptions file, bool is_private) {
  file.records_are_private = is_private;
  CorpusFormat used{};
  Sensitive<Corpus> data = read_corpus(path, file, &used);
  return input_of(std::move(data), is_private, "the documents", used);
}

Input<Points> points_input(const std::string& path, PointFileOptions file, bool is_private) {
  file.records_are_private = is_private;
  PointFormat used{};
  SensitivePoints data = open_points(path, file, &used);
  return input_of(std::move(data), is_private, "the points", used);
}

PublicShape tensor_shape(const std::string& path) {
  return require_shape(read_npy_header(path).shape, path);
}

PublicPointShape points_shape(const std::string& path, PointFileOptions file) {
  file.records_are_private = true;
  return public_shape(open_points(path, file));
}

PublicStream stream_shape(const std::string& path, std::optional<Index> dim,
                          std::optional<Index> records, Index batch) {
  if (dim && (records || batch > 0)) return {*dim, records, "the stream"};
  NpyHeader header;
  try {
    header = read_npy_header(path);
  } catch (const Error& error) {
    if (error.fault() != Fault::input) throw;
    throw Error("needs `dim` and `records`, or an .npy file, whose header has them", "`plan`");
  }
  SOTTO_REQUIRE_AT(header.shape.size() == 2, path, "points have two dimensions, this array has {}",
                   header.shape.size());
  return {header.shape[1], header.shape[0], path};
}

}  // namespace sotto
