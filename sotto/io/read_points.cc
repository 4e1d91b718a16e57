#include "sotto/io/read_points.h"

#include <string_view>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/binary_points.h"
#include "sotto/io/csv_points.h"
#include "sotto/io/document_points.h"
#include "sotto/io/sniff_documents.h"

namespace sotto {
namespace {

std::string sniff(ByteSource& bytes, const PointFileOptions& options) {
  if (options.dtype != "auto") return "raw";
  constexpr std::size_t enough = 1 << 16;
  const std::string_view head = bytes.peek(enough);
  SOTTO_REQUIRE_AT(!head.empty(), bytes.path(), "is empty");
  if (head.starts_with("\x93NUM")) return "npy";
  if (is_text(head)) {
    const auto documents = sniff_documents(head, head.size() == enough);
    return documents ? std::string(format_name(*documents)) : "csv";
  }
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
  return std::make_unique<DocumentPoints>(std::move(bytes), *document_format(format), options.dim);
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
