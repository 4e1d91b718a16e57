#include "sotto/io/tns_ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/io/claims.h"
#include "sotto/io/labelled_ratings.h"

namespace sotto {
namespace {

constexpr Index kLargestIndex = std::numeric_limits<std::int32_t>::max();

// What a Tensor Toolbox header says.
struct TnsHeader {
  std::vector<Index> dims;
  Index entries = 0;
};

// Reads the header, where there is one, and moves to the first entry, if any.
std::optional<TnsHeader> read_tns_header(RatingLines& lines) {
  if (lines.at_end() || lines.fields.field[0] != "sptensor") return std::nullopt;
  const auto next = [&](const char* what) {
    SOTTO_REQUIRE_AT(lines.next(), lines.place(), "the file ends before {}", what);
  };
  TnsHeader header;
  next("the order of the tensor");
  const auto order = static_cast<std::size_t>(lines.whole(0, "order", kMaxObservedOrder));
  next("the dimensions");
  lines.require_count(order);
  for (std::size_t m = 0; m < order; ++m) {
    header.dims.push_back(lines.whole(m, "dimension", kLargestIndex));
  }
  next("the number of entries");
  lines.require_count(1);
  header.entries = lines.whole(0, "number of entries", kLargestIndex, 0);
  lines.next();
  return header;
}

// "mode,mode,value": what the columns are behind such a header.
std::string columns_after(const TnsHeader& header) {
  std::string columns;
  for (std::size_t m = 0; m < header.dims.size(); ++m) columns += "mode,";
  return columns + "value";
}

// Both dialects of .tns with indices as rows.
class TnsRatings {
 public:
  TnsRatings(RatingLines& lines, const Ratings* known, bool is_private)
      : lines_(lines), known_(known), is_private_(is_private) {}

  void read(Ratings& out, const std::vector<Index>& dims) {
    const std::size_t order = lines_.fields.count - 1;
    SOTTO_REQUIRE_AT(order >= 2 && order <= kMaxObservedOrder, lines_.place(),
                     "expected 2 to {} indices and a value, got {} fields", kMaxObservedOrder,
                     order + 1);
    SOTTO_REQUIRE_AT(dims.empty() || dims.size() == order, lines_.place(),
                     "the header promises {} indices, here are {}", dims.size(), order);
    read_entries(out, order, dims);
  }

 private:
  void read_entries(Ratings& out, std::size_t order, const std::vector<Index>& declared) {
    const std::size_t modes = std::max<std::size_t>(order, 3);
    SOTTO_REQUIRE_AT(known_ == nullptr || known_->modes.size() == modes, lines_.place(),
                     "has {} modes, {} has {}", order, known_ == nullptr ? "" : known_->path,
                     known_ == nullptr ? 0 : known_->modes.size());
    std::vector<Index> dims(modes, 1);
    std::copy(declared.begin(), declared.end(), dims.begin());
    std::vector<std::int32_t> rows(modes, 0);
    out.entries = ObservedEntries(dims);
    do {
      lines_.require_count(order + 1);
      for (std::size_t m = 0; m < order; ++m) {
        const Index index = lines_.index(m, declared.empty() ? kLargestIndex : dims[m]);
        const bool unknown = known_ != nullptr && index > known_->entries.dims[m];
        rows[m] = unknown ? kUnknownRow : static_cast<std::int32_t>(index - 1);
        dims[m] = std::max(dims[m], index);
      }
      const double x = lines_.value(order);
      out.lines.add(out.entries.size(), lines_.number());
      out.entries.append(rows, x);
    } while (lines_.next());
    out.entries.dims = known_ != nullptr ? known_->entries.dims : dims;
    for (std::size_t m = 0; m < modes; ++m) {
      out.modes.push_back({m < order ? fmt::format("mode {}", m + 1) : "all", true, {}});
    }
    if (known_ == nullptr && !is_private_) check_sizes(out, !declared.empty());
  }

  // Rows up to the largest index, unless these are implausibly many: then the rows are those that
  // occur, and their indices are labels.
  void check_sizes(Ratings& out, bool declared) const {
    const Index entries = out.entries.size();
    const auto too_many = std::find_if(out.entries.dims.begin(), out.entries.dims.end(),
                                       [&](Index rows) { return !is_believable(rows, entries); });
    if (too_many == out.entries.dims.end()) return;
    SOTTO_REQUIRE_AT(!declared, lines_.place(),
                     "the header declares {} rows for {} entries; is it right?", *too_many,
                     entries);
    for (std::size_t m = 0; m < out.modes.size(); ++m) label_rows(out, m);
  }

  static void label_rows(Ratings& out, std::size_t m) {
    std::vector<std::int32_t>& rows = out.entries.index[m];
    std::vector<std::int32_t> occurring(rows.begin(), rows.end());
    std::sort(occurring.begin(), occurring.end());
    occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());
    for (const std::int32_t row : occurring) {
      out.modes[m].labels.add(out.modes[m].name == "all" ? "all"
                                                         : fmt::format_int(Index{row} + 1).str());
    }
    for (std::int32_t& row : rows) {
      row = static_cast<std::int32_t>(std::lower_bound(occurring.begin(), occurring.end(), row) -
                                      occurring.begin());
    }
    out.modes[m].numbered = false;
    out.entries.dims[m] = std::ssize(occurring);
  }

  RatingLines& lines_;
  const Ratings* known_;
  bool is_private_;
};

}  // namespace

void read_tns_ratings(RatingLines& lines, RatingFileOptions options, const Ratings* known,
                      Ratings& out) {
  SOTTO_REQUIRE_AT(options.time_mode == TimeMode::none, "`time-mode`",
                   "a .tns file has no time stamps; its indices are the modes");
  SOTTO_REQUIRE_AT(options.header != HeaderLine::yes, "`header`",
                   "only works with CSV and TSV, not with a .tns file");
  const std::optional<TnsHeader> header = read_tns_header(lines);
  const std::vector<Index> dims = header ? header->dims : std::vector<Index>();
  const bool labels = known != nullptr ? !known->modes[0].numbered
                                       : options.for_users || !options.modes.empty() ||
                                             (options.records_are_private && !header);
  if (labels) {
    options.header = HeaderLine::no;
    if (header && options.columns.empty()) options.columns = columns_after(*header);
    read_labelled_ratings(lines, RatingFormat::tns, options, known, out, dims);
  } else {
    SOTTO_REQUIRE_AT(options.columns.empty() && options.user_column.empty(),
                     options.columns.empty() ? "`user-column`" : "`columns`",
                     "does not work with this .tns file, whose indices are the rows");
    SOTTO_REQUIRE_AT(!lines.at_end(), lines.place(), "the file ends before the first entry");
    TnsRatings(lines, known, options.records_are_private).read(out, dims);
  }
  const Index found = out.entries.size() + out.left_out;
  SOTTO_REQUIRE_AT(!header || header->entries == found, lines.place(),
                   "the header promises {} entries, the file has {}", header->entries, found);
}

}  // namespace sotto
