#include "sotto/io/public_format.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/line_reader.h"

namespace sotto {
namespace {

using NameOfFormat = std::pair<std::string_view, std::string_view>;

constexpr std::array by_extension = {
    NameOfFormat{".npy", "npy"},      NameOfFormat{".tns", "tns"},
    NameOfFormat{".mtx", "mm"},       NameOfFormat{".mm", "mm"},
    NameOfFormat{".svm", "svmlight"}, NameOfFormat{".svmlight", "svmlight"},
    NameOfFormat{".ldac", "lda-c"},   NameOfFormat{".libsvm", "svmlight"},
    NameOfFormat{".lda-c", "lda-c"},  NameOfFormat{".lda", "lda-c"},
    NameOfFormat{".csv", "csv"},      NameOfFormat{".tsv", "tsv"},
    NameOfFormat{".txt", "text"},     NameOfFormat{".raw", "raw"},
    NameOfFormat{".f4", "raw"},       NameOfFormat{".f8", "raw"},
    NameOfFormat{".data", "u.data"},  NameOfFormat{".dat", "movielens"},
};

std::string name_without_gz(std::string_view path) {
  std::string name = ascii_lower(path.substr(path.rfind('/') + 1));
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

// No line of text begins like this. The first line of MatrixMarket is no mark: it may as well be
// the first document of a text.
std::string_view format_by_mark(ByteSource& bytes) {
  constexpr std::string_view npy = "\x93NUMPY";
  return bytes.peek(npy.size()) == npy ? "npy" : "";
}

}  // namespace

bool is_named_f4(std::string_view path) { return name_without_gz(path).ends_with(".f4"); }

std::string_view format_by_name(std::string_view path) {
  const std::string name = name_without_gz(path);
  if (name.starts_with("docword") && name.ends_with(".txt")) return "uci";
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  for (const auto& [extension, format] : by_extension) {
    if (name.substr(dot) == extension) return format;
  }
  return {};
}

std::string public_format(std::string_view path, ByteSource& bytes,
                          std::span<const std::string_view> reads) {
  const auto is_read = [&](std::string_view format) {
    return std::find(reads.begin(), reads.end(), format) != reads.end();
  };
  if (const auto format = format_by_name(path); is_read(format)) return std::string(format);
  if (const auto format = format_by_mark(bytes); is_read(format)) return std::string(format);
  throw Error(
      "is needed: the name of the file does not tell its format, and a private run does not look "
      "at the records to find out",
      "`format`");
}

std::string format_fact(std::string_view format) {
  return fmt::format("the format of the file: {}", format);
}

}  // namespace sotto
