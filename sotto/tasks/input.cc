#include "sotto/tasks/input.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/io/line_reader.h"
#include "sotto/io/npy.h"
#include "sotto/io/public_format.h"
#include "sotto/io/read_corpus.h"
#include "sotto/io/read_points.h"
#include "sotto/io/read_tensor.h"
#include "sotto/release/one_pass_records.h"
#include "sotto/release/private_points.h"
#include "sotto/release/protected_tensor.h"
#include "sotto/tasks/declare.h"
#include "sotto/tasks/document_files.h"

namespace sotto {
namespace {

template <class T, class Format>
Input<T> input_of(Sensitive<T> data, bool is_private, const std::string& what, Format format) {
  Input<T> input = declared(std::move(data), is_private, what);
  input.add_public_fact(format_fact(name_of(format)));
  return input;
}

// The dimensions of an .tns file from its header.
std::vector<Index> declared_dims(const std::string& path) {
  ByteSource source(path, Packing::by_name);
  LineReader lines(source);
  std::string_view line;
  std::vector<std::vector<std::string>> head;  // words of the first lines
  while (head.size() < 3 && lines.next(line)) {
    std::vector<std::string> words;
    for (;;) {
      const std::string_view word = take_word(line);
      if (word.empty()) break;
      words.emplace_back(word);
    }
    if (!words.empty() && !words.front().starts_with('#')) head.push_back(std::move(words));
  }
  std::vector<Index> dims;
  if (head.size() == 3 && (head[0].front() == "sptensor" || head[0].front() == "tensor")) {
    for (const std::string& word : head[2]) {
      Index d = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), d);
      if (error != std::errc{} || end != word.data() + word.size() || d < 1) break;
      dims.push_back(d);
    }
  }
  SOTTO_REQUIRE_AT(dims.size() >= 3, path,
                   "declares no shape of order 3 or more; `plan` needs an .npy file, or .tns with "
                   "a Tensor Toolbox header");
  return dims;
}

NpyHeader planned_header(const std::string& path) {
  try {
    return read_npy_header(path);
  } catch (const Error& error) {
    if (error.fault() != Fault::input) throw;
    throw Error("needs `dim` and `records`, or an .npy file, whose header has them", "`plan`");
  }
}

}  // namespace

Input<AnyTensor> tensor_input(const std::string& path, TensorFormat format, bool is_private,
                              const TensorReading& reading) {
  ReadTensorOptions options;
  options.format = format;
  options.missing = reading.missing && !is_private;
  const bool sum = reading.sum_repeated && !is_private;
  options.duplicates = sum ? Duplicates::sum : Duplicates::refuse;
  options.index_base = reading.index_base;
  options.records_are_private = is_private;
  TensorFormat used{};
  Sensitive<AnyTensor> data = read_tensor(path, options, &used);
  return input_of(std::move(data), is_private, "the tensor", used);
}

Input<Corpus> documents_input(const std::string& path, CorpusFileOptions file, bool is_private) {
  return documents_input(std::vector{path}, std::move(file), is_private);
}

Input<Corpus> documents_input(const std::vector<std::string>& paths, CorpusFileOptions file,
                              bool is_private) {
  file.records_are_private = is_private;
  CorpusFormat used{};
  Sensitive<Corpus> data = read_corpus(paths, file, &used);
  return input_of(std::move(data), is_private, "the documents", used);
}

Input<Points> points_input(const std::string& path, PointFileOptions file, bool is_private) {
  return points_input(std::vector{path}, std::move(file), is_private);
}

Input<Points> points_input(const std::vector<std::string>& paths, PointFileOptions file,
                           bool is_private, Shards* shards) {
  file.records_are_private = is_private;
  PointFormat used{};
  SensitivePoints data = open_points(paths, file, &used, shards);
  return input_of(std::move(data), is_private, "the points", used);
}

PublicDims tensor_dims(const std::string& path) {
  const std::string plain = path.ends_with(".gz") ? path.substr(0, path.size() - 3) : path;
  return PublicDims(plain.ends_with(".tns") ? declared_dims(path) : read_npy_header(path).shape);
}

PublicShape tensor_shape(const std::string& path) {
  return require_shape(tensor_dims(path).dims, path);
}

PublicPointShape points_shape(const std::vector<std::string>& paths, PointFileOptions file) {
  file.records_are_private = true;
  return public_shape(open_points(paths, file));
}

PublicStream stream_shape(const std::vector<std::string>& paths, std::optional<Index> dim,
                          std::optional<Index> records, Index batch) {
  if (dim && (records || batch > 0)) return {*dim, records, "the stream"};
  PublicStream stream{0, 0, paths.size() > 1 ? "the stream" : paths.front()};
  for (const std::string& path : paths) {
    const NpyHeader header = planned_header(path);
    SOTTO_REQUIRE_AT(header.shape.size() == 2, path,
                     "points have two dimensions, this array has {}", header.shape.size());
    if (stream.dim == 0) stream.dim = header.shape[1];
    SOTTO_REQUIRE_AT(header.shape[1] == stream.dim, path,
                     "has records of dimension {}, {} has records of dimension {}", header.shape[1],
                     paths.front(), stream.dim);
    *stream.records += header.shape[0];
  }
  return stream;
}

}  // namespace sotto
