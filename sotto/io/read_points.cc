#include "sotto/io/read_points.h"

#include <string_view>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/binary_points.h"
#include "sotto/io/csv_points.h"
#include "sotto/io/document_points.h"
#include "sotto/io/private_records.h"
#include "sotto/io/public_format.h"
#include "sotto/io/sniff_documents.h"

namespace sotto {
namespace {

PointFormat sniff_points(ByteSource& bytes, const PointFileOptions& options) {
  constexpr std::size_t enough = 1 << 16;
  const bool cut = bytes.peek(enough).size() == enough;
  const std::string_view head = without_byte_order_mark(bytes.peek(enough));
  SOTTO_REQUIRE_AT(!head.empty(), bytes.path(), "is empty");
  if (head.starts_with("\x93NUM")) return PointFormat::npy;
  if (is_text(head)) {
    const auto documents = sniff_documents(head, cut);
    return documents ? value_named<PointFormat>(name_of(*documents)).value() : PointFormat::csv;
  }
  SOTTO_REQUIRE_AT(options.dim.has_value(), bytes.path(),
                   "is neither .npy nor text; for raw numbers say `dim` D and `dtype` f4 or f8");
  return PointFormat::raw;
}

PointFormat format_of(const std::string& path, ByteSource& bytes, const PointFileOptions& options) {
  static constexpr std::string_view reads[] = {"npy", "csv",   "tsv",     "raw",
                                               "uci", "lda-c", "svmlight"};
  if (options.format != PointFormat::automatic) return options.format;
  if (options.dtype != RawNumbers::automatic) return PointFormat::raw;
  if (!options.records_are_private) return sniff_points(bytes, options);
  return value_named<PointFormat>(public_format(path, bytes, reads)).value();
}

bool is_numbers_in_text(PointFormat format) {
  return format == PointFormat::csv || format == PointFormat::tsv || format == PointFormat::spaces;
}

// A private run does not look at a record to find out what all of them have in common.
void check_declared(PointFormat format, const std::string& path, const PointFileOptions& options) {
  if (!options.records_are_private) return;
  const bool text = is_numbers_in_text(format);
  SOTTO_REQUIRE_AT(!text || options.header != HeaderLine::automatic, "`header`",
                   "say yes or no: a private run does not look at the first line to find out "
                   "whether it names the columns");
  const bool undeclared = format == PointFormat::lda_c || format == PointFormat::svmlight ||
                          options.header == HeaderLine::no;
  SOTTO_REQUIRE_AT(options.dim || !undeclared, "`dim`",
                   "is needed: the dimension of {} would otherwise be read off the records", path);
}

CsvRules csv_rules(PointFormat format, const PointFileOptions& options) {
  CsvRules rules;
  if (format != PointFormat::csv || options.records_are_private) {
    rules.separator = format == PointFormat::csv ? ',' : format == PointFormat::tsv ? '\t' : ' ';
  }
  if (options.header != HeaderLine::automatic) rules.header = options.header == HeaderLine::yes;
  rules.every_line_is_a_record = options.records_are_private;
  if (options.records_are_private) rules.dim = options.dim;
  return rules;
}

Points open_as(PointFormat format, const std::string& path, std::unique_ptr<ByteSource> bytes,
               const PointFileOptions& options) {
  if (format == PointFormat::npy) return std::make_unique<BinaryPoints>(std::move(bytes));
  if (is_numbers_in_text(format)) {
    return std::make_unique<CsvPoints>(std::move(bytes), csv_rules(format, options));
  }
  if (format == PointFormat::raw) {
    SOTTO_REQUIRE_AT(options.dim.has_value(), "`dim`", "is needed to read raw numbers");
    const bool four = options.dtype == RawNumbers::f4 ||
                      (options.dtype == RawNumbers::automatic && is_named_f4(path));
    return std::make_unique<BinaryPoints>(std::move(bytes), *options.dim, four ? 4 : 8);
  }
  return std::make_unique<DocumentPoints>(std::move(bytes),
                                          *value_named<DocumentFormat>(name_of(format)),
                                          options.dim, bare_lines(options.records_are_private));
}

Points open_quoting(const std::string& path, const PointFileOptions& options,
                    PointFormat* format_used) {
  auto bytes = std::make_unique<ByteSource>(path, packing_of(options.records_are_private));
  const PointFormat format = format_of(path, *bytes, options);
  if (format_used != nullptr) *format_used = format;
  SOTTO_REQUIRE_AT(options.dtype == RawNumbers::automatic || format == PointFormat::raw, "`dtype`",
                   "only works with raw numbers, not with `format` {}", name_of(format));
  SOTTO_REQUIRE_AT(options.header == HeaderLine::automatic || is_numbers_in_text(format),
                   "`header`", "only works with numbers in text, not with `format` {}",
                   name_of(format));
  check_declared(format, bytes->path(), options);
  Points source = open_as(format, path, std::move(bytes), options);
  SOTTO_REQUIRE_AT(!options.dim || *options.dim == source->dim(), "`dim`",
                   "{} has records of dimension {}, not {}", source->name(), source->dim(),
                   *options.dim);
  return source;
}

}  // namespace

OptionTable PointFileOptions::table() {
  return OptionTable()
      .choice(
          "format", format,
          "format of the points; auto: recognised by content, with `epsilon` by the name of the "
          "file")
      .integer("dim", 0, dim, {1, 2147483647},
               "dimension of a record; needed for raw numbers, and for LDA-C and SVMlight from a "
               "pipe; with `epsilon` also for text without a header, LDA-C and SVMlight")
      .choice("dtype", dtype,
              "raw numbers of 4 or 8 bytes, in the byte order of the machine; auto: 4 when the "
              "file is called .f4, else 8")
      .choice("header", header,
              "whether the first line of a text file names the columns; auto: when nothing on it "
              "is a number; with `epsilon` say yes or no");
}

SensitivePoints open_points(const std::string& path, const PointFileOptions& options,
                            PointFormat* format_used) {
  return read_unquoted(options.records_are_private, path,
                       [&] { return SensitivePoints(open_quoting(path, options, format_used)); });
}

}  // namespace sotto
