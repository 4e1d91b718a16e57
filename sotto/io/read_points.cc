#include "sotto/io/read_points.h"

#include <string_view>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/binary_points.h"
#include "sotto/io/csv_points.h"
#include "sotto/io/document_points.h"
#include "sotto/io/public_format.h"
#include "sotto/io/sniff_documents.h"

namespace sotto {
namespace {

std::string sniff(ByteSource& bytes, const PointFileOptions& options) {
  constexpr std::size_t enough = 1 << 16;
  const bool cut = bytes.peek(enough).size() == enough;
  const std::string_view head = without_byte_order_mark(bytes.peek(enough));
  SOTTO_REQUIRE_AT(!head.empty(), bytes.path(), "is empty");
  if (head.starts_with("\x93NUM")) return "npy";
  if (is_text(head)) {
    const auto documents = sniff_documents(head, cut);
    return documents ? std::string(format_name(*documents)) : "csv";
  }
  SOTTO_REQUIRE_AT(options.dim.has_value(), bytes.path(),
                   "is neither .npy nor text; for raw numbers say `dim` D and `dtype` f4 or f8");
  return "raw";
}

std::string format_of(const std::string& path, ByteSource& bytes, const PointFileOptions& options) {
  static constexpr std::string_view reads[] = {"npy", "csv",   "tsv",     "raw",
                                               "uci", "lda-c", "svmlight"};
  if (options.format != "auto") return options.format;
  if (options.dtype != "auto") return "raw";
  return options.records_are_private ? public_format(path, bytes, reads) : sniff(bytes, options);
}

bool is_numbers_in_text(std::string_view format) {
  return format == "csv" || format == "tsv" || format == "spaces";
}

// A private run does not look at a record to find out what all of them have in common.
void check_declared(const std::string& format, const std::string& path,
                    const PointFileOptions& options) {
  if (!options.records_are_private) return;
  const bool text = is_numbers_in_text(format);
  SOTTO_REQUIRE_AT(!text || options.header != "auto", "`header`",
                   "say yes or no: a private run does not look at the first line to find out "
                   "whether it names the columns");
  const bool undeclared = format == "lda-c" || format == "svmlight" || options.header == "no";
  SOTTO_REQUIRE_AT(options.dim || !undeclared, "`dim`",
                   "is needed: the dimension of {} would otherwise be read off the records", path);
}

CsvRules csv_rules(const std::string& format, const PointFileOptions& options) {
  CsvRules rules;
  if (format != "csv" || options.records_are_private) {
    rules.separator = format == "csv" ? ',' : format == "tsv" ? '\t' : ' ';
  }
  if (options.header != "auto") rules.header = options.header == "yes";
  rules.every_line_is_a_record = options.records_are_private;
  if (options.records_are_private) rules.dim = options.dim;
  return rules;
}

std::unique_ptr<PointSource> open_as(const std::string& format, const std::string& path,
                                     std::unique_ptr<ByteSource> bytes,
                                     const PointFileOptions& options) {
  if (format == "npy") return std::make_unique<BinaryPoints>(std::move(bytes));
  if (is_numbers_in_text(format)) {
    return std::make_unique<CsvPoints>(std::move(bytes), csv_rules(format, options));
  }
  if (format == "raw") {
    SOTTO_REQUIRE_AT(options.dim.has_value(), "`dim`", "is needed to read raw numbers");
    const bool four = options.dtype == "f4" || (options.dtype == "auto" && is_named_f4(path));
    return std::make_unique<BinaryPoints>(std::move(bytes), *options.dim, four ? 4 : 8);
  }
  return std::make_unique<DocumentPoints>(std::move(bytes), *document_format(format), options.dim,
                                          bare_lines(options.records_are_private));
}

}  // namespace

OptionTable PointFileOptions::table() {
  return OptionTable()
      .choice(
          "format", format,
          {"auto", "npy", "csv", "tsv", "spaces", "raw", "uci", "lda-c", "svmlight"},
          "format of the points; auto: recognised by content, with `epsilon` by the name of the "
          "file")
      .integer("dim", 0, dim, {1, 2147483647},
               "dimension of a record; needed for raw numbers, and for LDA-C and SVMlight from a "
               "pipe; with `epsilon` also for text without a header, LDA-C and SVMlight")
      .choice("dtype", dtype, {"auto", "f4", "f8"},
              "raw numbers of 4 or 8 bytes in the order of the machine; auto: 8 when raw, 4 when "
              "the file is called .f4")
      .choice("header", header, {"auto", "yes", "no"},
              "whether the first line of numbers in text names the columns; auto: when none of it "
              "is a number; with `epsilon` say yes or no");
}

std::unique_ptr<PointSource> open_points(const std::string& path, const PointFileOptions& options,
                                         std::string* format_used) {
  auto bytes = std::make_unique<ByteSource>(path, packing_of(options.records_are_private));
  const std::string format = format_of(path, *bytes, options);
  if (format_used != nullptr) *format_used = format;
  SOTTO_REQUIRE_AT(options.dtype == "auto" || format == "raw", "`dtype`",
                   "goes with raw numbers, not with `format` {}", format);
  SOTTO_REQUIRE_AT(options.header == "auto" || is_numbers_in_text(format), "`header`",
                   "goes with numbers in text, not with `format` {}", format);
  check_declared(format, bytes->path(), options);
  auto source = open_as(format, path, std::move(bytes), options);
  SOTTO_REQUIRE_AT(!options.dim || *options.dim == source->dim(), "`dim`",
                   "{} has records of dimension {}, not {}", source->name(), source->dim(),
                   *options.dim);
  return source;
}

}  // namespace sotto
