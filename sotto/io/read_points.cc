#include "sotto/io/read_points.h"

#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/io/binary_points.h"
#include "sotto/io/csv_points.h"
#include "sotto/io/document_points.h"
#include "sotto/io/joined_points.h"
#include "sotto/io/private_records.h"
#include "sotto/io/public_format.h"
#include "sotto/io/sniff_documents.h"
#include "sotto/io/text_fields.h"
#include "sotto/tensor/sharded_points.h"

namespace sotto {
namespace {

PointFormat sniff_points(ByteSource& bytes, const PointFileOptions& options) {
  constexpr std::size_t enough = 1 << 16;
  const bool cut = bytes.peek(enough).size() == enough;
  const std::string_view head = without_byte_order_mark(bytes.peek(enough));
  SOTTO_REQUIRE_AT(!head.empty(), bytes.path(), "is empty");
  if (head.starts_with("\x93NUM")) return PointFormat::npy;
  if (!options.dim) refuse_other_files(head, bytes.path());
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
  if (options.separator != Separator::automatic) {
    rules.separator = character_of(options.separator, ',');
  }
  rules.decimal = options.decimal;
  rules.drop_columns = options.drop_columns;
  if (!options.records_are_private) rules.id_column = options.id_column;
  rules.guarded = !options.records_are_private;
  if (options.header != HeaderLine::automatic) rules.header = options.header == HeaderLine::yes;
  rules.every_line_is_a_record = options.records_are_private;
  if (options.records_are_private) rules.dim = options.dim;
  return rules;
}

Points binary(std::unique_ptr<BinaryPoints> points, const PointFileOptions& options) {
  if (!options.records_are_private) points->refuse_large_values();
  return points;
}

Points open_as(PointFormat format, const std::string& path, std::unique_ptr<ByteSource> bytes,
               const PointFileOptions& options) {
  if (format == PointFormat::npy) {
    return binary(std::make_unique<BinaryPoints>(std::move(bytes)), options);
  }
  if (is_numbers_in_text(format)) {
    return std::make_unique<CsvPoints>(std::move(bytes), csv_rules(format, options));
  }
  if (format == PointFormat::raw) {
    SOTTO_REQUIRE_AT(options.dim.has_value(), "`dim`", "is needed to read raw numbers");
    const bool four = options.dtype == RawNumbers::f4 ||
                      (options.dtype == RawNumbers::automatic && is_named_f4(path));
    return binary(std::make_unique<BinaryPoints>(std::move(bytes), *options.dim, four ? 4 : 8),
                  options);
  }
  return std::make_unique<DocumentPoints>(
      std::move(bytes), *value_named<DocumentFormat>(name_of(format)), options.dim,
      bare_lines(options.records_are_private), options.index_base);
}

// Options that say how one kind of file is read do nothing for others.
void check_point_options(PointFormat format, const PointFileOptions& options) {
  const bool text = is_numbers_in_text(format);
  const std::pair<const char*, bool> of_text[] = {
      {"`header`", options.header != HeaderLine::automatic},
      {"`decimal`", options.decimal != DecimalMark::point},
      {"`drop-columns`", !options.drop_columns.empty()},
      {"`id-column`", !options.id_column.empty()}};
  for (const auto& [option, is_given] : of_text) {
    SOTTO_REQUIRE_AT(!is_given || text, option,
                     "only works with numbers in text, not with `format` {}", name_of(format));
  }
  SOTTO_REQUIRE_AT(options.separator == Separator::automatic || format == PointFormat::csv,
                   "`separator`", "only works with `format` csv, not with {}", name_of(format));
  const bool sparse =
      format == PointFormat::uci || format == PointFormat::lda_c || format == PointFormat::svmlight;
  SOTTO_REQUIRE_AT(options.index_base == IndexBase::automatic || sparse, "`index-base`",
                   "only works with sparse files, not with `format` {}", name_of(format));
}

// All records of a source that can be read only once.
Points kept(Points source) {
  SOTTO_REQUIRE_AT(!source->is_sparse(), source->name(),
                   "has sparse records, which are not kept in memory; give a regular file");
  const Index dim = source->dim();
  std::vector<double> numbers;
  PointBlock block;
  while (source->read(block_rows(*source), block) > 0) {
    numbers.insert(numbers.end(), block.dense.data(), block.dense.data() + block.dense.size());
  }
  SOTTO_REQUIRE_AT(!numbers.empty(), source->name(), "has no records");
  return points_in_memory(
      Eigen::Map<const RowMatrix>(numbers.data(), std::ssize(numbers) / dim, dim),
      source->columns());
}

Points open_quoting(const std::string& path, const PointFileOptions& options,
                    PointFormat* format_used) {
  auto bytes = std::make_unique<ByteSource>(path, packing_of(options.records_are_private));
  const PointFormat format = format_of(path, *bytes, options);
  if (format_used != nullptr) *format_used = format;
  SOTTO_REQUIRE_AT(options.dtype == RawNumbers::automatic || format == PointFormat::raw, "`dtype`",
                   "only works with raw numbers, not with `format` {}", name_of(format));
  check_point_options(format, options);
  check_declared(format, bytes->path(), options);
  Points source = open_as(format, path, std::move(bytes), options);
  SOTTO_REQUIRE_AT(!options.dim || *options.dim == source->dim(), "`dim`",
                   "{} has records of dimension {}, not {}", source->name(), source->dim(),
                   *options.dim);
  if (options.kept_in_memory && !source->can_rewind()) return kept(std::move(source));
  return source;
}

Points open_unquoted(const std::string& path, const PointFileOptions& options,
                     PointFormat* format_used) {
  return read_unquoted(options.records_are_private, path,
                       [&] { return open_quoting(path, options, format_used); });
}

// One source after the other, in one format.
Points open_list(const std::vector<std::string>& paths, const PointFileOptions& options,
                 PointFormat* format_used) {
  SOTTO_REQUIRE(!paths.empty(), "no file is given");
  std::vector<Points> files;
  PointFormat first{}, format{};
  for (const std::string& path : paths) {
    files.push_back(open_unquoted(path, options, &format));
    if (files.size() == 1) first = format;
    SOTTO_REQUIRE_AT(format == first, path, "is in the format {}, {} in the format {}",
                     name_of(format), paths.front(), name_of(first));
  }
  if (format_used != nullptr) *format_used = first;
  if (files.size() == 1) return std::move(files.front());
  return std::make_unique<JoinedPoints>(std::move(files));
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
              "whether the first line of a text file names the columns; auto: if none of its "
              "fields is a number; with `epsilon` say yes or no")
      .choice("separator", separator,
              "the separator of the columns of CSV; auto: that of the first line, with `epsilon` a "
              "comma")
      .choice("decimal", decimal, "the decimal mark of numbers in text")
      .text("drop-columns", 0, drop_columns, "NAME|NUMBER,..",
            "columns of a text file to leave out, by their names in the header or their numbers "
            "from 1 on; none: keep all columns, even one that looks like a saved index")
      .choice("index-base", index_base,
              "the first number of a word in UCI, LDA-C and SVMlight files; auto: 0 in LDA-C, else "
              "1");
}

SensitivePoints open_points(const std::string& path, const PointFileOptions& options,
                            PointFormat* format_used) {
  return SensitivePoints(open_unquoted(path, options, format_used));
}

SensitivePoints open_points(const std::vector<std::string>& paths, const PointFileOptions& options,
                            PointFormat* format_used, Shards* shards) {
  Points points = open_list(paths, options, format_used);
  if (shards != nullptr) points = std::make_unique<ShardedPoints>(std::move(points), *shards);
  return SensitivePoints(std::move(points));
}

}  // namespace sotto
