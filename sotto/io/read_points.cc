#include "sotto/io/read_points.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/io/binary_points.h"
#include "sotto/io/csv_points.h"
#include "sotto/io/document_points.h"
#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

bool is_text(std::string_view head) {
  return std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view space = " \t\r";
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = line.find_first_not_of(space, at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(space, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

// The words of the first lines that are not blank. The last line of the head may be cut, so it
// counts only when it is all there is.
std::vector<std::vector<std::string_view>> first_lines(std::string_view head) {
  constexpr std::size_t enough = 16;
  const std::size_t last = head.rfind('\n');
  if (last != std::string_view::npos) head = head.substr(0, last);
  std::vector<std::vector<std::string_view>> lines;
  while (!head.empty() && lines.size() < enough) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    auto words = words_of(head.substr(0, end));
    if (!words.empty()) lines.push_back(std::move(words));
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return lines;
}

// Three lines of one whole number, then lines of three.
bool looks_like_uci(const std::vector<std::vector<std::string_view>>& lines) {
  if (lines.size() < 4) return false;
  for (std::size_t n = 0; n < 4; ++n) {
    if (lines[n].size() != (n < 3 ? 1u : 3u)) return false;
    for (const std::string_view word : lines[n]) {
      Index ignored;
      if (!is_whole(word, ignored)) return false;
    }
  }
  return true;
}

// "7 3:1 .." with as many pairs as the first number says, on every line.
bool counts_its_pairs(const std::vector<std::string_view>& words) {
  Index claimed = 0;
  return is_whole(words[0], claimed) && claimed == std::ssize(words) - 1;
}

std::string sniff_text(std::string_view head) {
  const auto lines = first_lines(head);
  if (looks_like_uci(lines)) return "uci";
  const bool pairs = std::any_of(lines.begin(), lines.end(), [](const auto& words) {
    return words.size() > 1 && words[0].front() != '#' &&
           words[1].find(':') != std::string_view::npos;
  });
  if (!pairs) return "csv";
  return std::all_of(lines.begin(), lines.end(), counts_its_pairs) ? "lda-c" : "svmlight";
}

std::string sniff(ByteSource& bytes, const PointFileOptions& options) {
  if (options.dtype != "auto") return "raw";
  const std::string_view head = bytes.peek(1 << 16);
  SOTTO_REQUIRE_AT(!head.empty(), bytes.path(), "is empty");
  if (head.starts_with("\x93NUM")) return "npy";
  if (is_text(head)) return sniff_text(head);
  SOTTO_REQUIRE_AT(options.dim.has_value(), bytes.path(),
                   "is neither .npy nor text; for raw numbers say --dim D and --dtype f4 or f8");
  return "raw";
}

std::unique_ptr<PointSource> open_as(const std::string& format, std::unique_ptr<ByteSource> bytes,
                                     const PointFileOptions& options) {
  if (format == "npy") return std::make_unique<BinaryPoints>(std::move(bytes));
  if (format == "csv") return std::make_unique<CsvPoints>(std::move(bytes));
  if (format == "raw") {
    SOTTO_REQUIRE_AT(options.dim.has_value(), "--dim", "is needed to read raw numbers");
    return std::make_unique<BinaryPoints>(std::move(bytes), *options.dim,
                                          options.dtype == "f4" ? 4 : 8);
  }
  const DocumentFormat documents = format == "uci"     ? DocumentFormat::uci
                                   : format == "lda-c" ? DocumentFormat::lda_c
                                                       : DocumentFormat::svmlight;
  return std::make_unique<DocumentPoints>(std::move(bytes), documents, options.dim);
}

}  // namespace

OptionTable PointFileOptions::table() {
  return OptionTable()
      .choice("format", format, {"auto", "npy", "csv", "raw", "uci", "lda-c", "svmlight"},
              "format of the points; auto: recognised by content")
      .integer("dim", 0, dim, {1, 2147483647},
               "dimension of a record; needed for raw numbers, and for LDA-C and SVMlight from a "
               "pipe")
      .choice("dtype", dtype, {"auto", "f4", "f8"},
              "raw numbers of 4 or 8 bytes in the order of the machine; auto: 8 when raw");
}

std::unique_ptr<PointSource> open_points(const std::string& path, const PointFileOptions& options) {
  auto bytes = std::make_unique<ByteSource>(path);
  const std::string format = options.format == "auto" ? sniff(*bytes, options) : options.format;
  SOTTO_REQUIRE_AT(options.dtype == "auto" || format == "raw", "--dtype",
                   "goes with raw numbers, not with --format {}", format);
  auto source = open_as(format, std::move(bytes), options);
  SOTTO_REQUIRE_AT(!options.dim || *options.dim == source->dim(), "--dim",
                   "{} has records of dimension {}, not {}", source->name(), source->dim(),
                   *options.dim);
  return source;
}

}  // namespace sotto
