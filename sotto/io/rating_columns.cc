#include "sotto/io/rating_columns.h"

#include <algorithm>
#include <array>
#include <span>

#include "sotto/base/error.h"
#include "sotto/io/parse_number.h"

namespace sotto {
namespace {

using Names = std::span<const std::string_view>;

// As plain_name() gives them.
constexpr std::string_view kUserNames[] = {
    "user",     "userid",     "username",  "uid",      "customer",  "customerid",  "client",
    "clientid", "consumer",   "person",    "personid", "patient",   "patientid",   "member",
    "memberid", "account",    "accountid", "subject",  "subjectid", "participant", "participantid",
    "reviewer", "reviewerid", "rater",     "raterid",  "visitor",   "visitorid"};
constexpr std::string_view kItemNames[] = {
    "item",      "itemid",   "iid",     "movie",     "movieid",  "film",       "filmid", "product",
    "productid", "book",     "bookid",  "isbn",      "song",     "songid",     "track",  "trackid",
    "artist",    "artistid", "article", "articleid", "business", "businessid", "asin"};
constexpr std::string_view kValueNames[] = {"rating", "value", "score", "stars"};
constexpr std::string_view kTimeNames[] = {"timestamp", "time", "date", "datetime"};
// A play_time is a duration.
constexpr std::string_view kTimeEndings[] = {"timestamp", "date", "datetime"};

// Small letters without _, - and spaces.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

bool is_one_of(Names names, std::string_view name) {
  return std::find(names.begin(), names.end(), plain_name(name)) != names.end();
}

// "date", and names that end in such a word: visit_date, createdTimestamp, "Order Date".
bool is_time_name(std::string_view name) {
  std::size_t last = 0;
  for (std::size_t n = 1; n < name.size(); ++n) {
    const bool after_sign = std::string_view("_- .").find(name[n - 1]) != std::string_view::npos;
    const bool capital = name[n] >= 'A' && name[n] <= 'Z' && name[n - 1] >= 'a';
    if (after_sign || capital) last = n;
  }
  return is_one_of(kTimeNames, name) || is_one_of(kTimeEndings, name.substr(last));
}

// 0, 1, 2, ..: what pandas calls columns without names.
bool are_numbers_of_columns(std::span<const std::string_view> words) {
  Index number = 0;
  for (std::size_t n = 0; n < words.size(); ++n) {
    if (!is_whole(words[n], number) || number != static_cast<Index>(n)) return false;
  }
  return words.size() >= 3;
}

std::span<const std::string_view> words_of(const Fields& fields) {
  return {fields.field.data(), fields.count};
}

// A record has a value, so a line without a number is not a record. For private records a header
// must also name the value. Otherwise the line is a record that cannot be read, as it would be
// anywhere else: labels of a broken record must not end up as names in the certificate.
bool is_header(const Fields& first, RatingFormat format, const RatingFileOptions& options) {
  if (options.header != HeaderLine::automatic) return options.header == HeaderLine::yes;
  const auto words = words_of(first);
  const bool guarded = !options.records_are_private && format != RatingFormat::tns;
  SOTTO_REQUIRE_AT(!guarded || !are_numbers_of_columns(words), "`header`",
                   "the first line may be a header, as pandas numbers columns: say yes, or no if "
                   "it is a rating");
  if (std::any_of(words.begin(), words.end(), looks_like_number)) return false;
  // What is missing is a value: "7,12,NA" is a rating that cannot be read. A column without a name
  // is refused as such.
  if (!options.records_are_private) {
    return std::none_of(words.begin(), words.end(), [](std::string_view word) {
      return !word.empty() && is_missing_value(word);
    });
  }
  const bool may_have_one = format == RatingFormat::csv || format == RatingFormat::tsv;
  return may_have_one && std::any_of(words.begin(), words.end(), [](std::string_view word) {
           return is_one_of(kValueNames, word);
         });
}

Role role_named(std::string_view word) {
  const std::optional<Role> role = value_named<Role>(word);
  SOTTO_REQUIRE_AT(role, "`columns`",
                   "a column is user, item, mode, value, time or - (left out), not '{}'", word);
  return *role;
}

std::vector<Column> given_columns(const std::string& roles) {
  std::vector<Column> columns;
  Fields words;
  split_fields(roles, ",", words);
  SOTTO_REQUIRE_AT(words.count <= kMaxRatingFields, "`columns`", "lists {} columns, at most {}",
                   words.count, kMaxRatingFields);
  for (const std::string_view word : words_of(words)) columns.push_back({role_named(word), {}});
  return columns;
}

std::vector<Column> columns_of(std::initializer_list<Role> roles) {
  std::vector<Column> columns;
  for (const Role role : roles) columns.push_back({role, {}});
  return columns;
}

class Layout {
 public:
  Layout(const Fields& first, RatingFormat format, const RatingFileOptions& options,
         const std::string& place)
      : first_(first), format_(format), options_(options), place_(place) {}

  ColumnLayout find() {
    refuse_too_many();
    found_.has_header = is_header(first_, format_, options_);
    if (found_.has_header) refuse_unnamed();
    found_.user = options_.user_column.empty() ? expected_user() : named_user();
    found_.columns = columns();
    // A private record of another number of fields is refused like any other, when it is read.
    if (found_.has_header || !options_.records_are_private) {
      SOTTO_REQUIRE_AT(found_.columns.size() == first_.count, "`columns`",
                       "lists {} columns, the first line has {}", found_.columns.size(),
                       first_.count);
    }
    take_user();
    check_roles();
    name_columns();
    order_modes();
    found_.may_be_wide = may_be_wide();
    return std::move(found_);
  }

 private:
  bool declares_users() const {
    return format_ == RatingFormat::movielens || format_ == RatingFormat::u_data;
  }

  // Only a header that was declared decides what is said about a private file.
  void refuse_too_many() const {
    const bool declared = options_.records_are_private && options_.header == HeaderLine::yes;
    const bool said = !options_.columns.empty() || format_ == RatingFormat::tns;
    SOTTO_REQUIRE_AT(first_.count <= kMaxRatingFields, declared && !said ? "`columns`" : place_,
                     "has {} fields, at most {} are read{}", first_.count, kMaxRatingFields,
                     said ? "" : kWideTable);
  }

  bool may_be_wide() const {
    if (!options_.columns.empty() || for_model() || !found_.has_header) return false;
    const auto words = words_of(first_);
    return std::none_of(words.begin(), words.end(),
                        [](std::string_view word) { return is_one_of(kValueNames, word); });
  }

  // A saved index is neither a user nor anything else.
  void refuse_unnamed() const {
    if (!options_.columns.empty()) return;
    for (std::size_t n = 0; n < first_.count; ++n) {
      const std::string_view name = first_.field[n];
      SOTTO_REQUIRE_AT(!name.empty() && !name.starts_with("Unnamed:"), "`columns`",
                       "column {} of the header has no name (a saved index?): say what the columns "
                       "are and leave it out, for instance {}",
                       n + 1, n == 0 ? "-,user,item,value" : "user,item,value,-");
    }
  }

  // The column that `user-column` gives by its number or its name.
  std::size_t named_user() const {
    Index number = 0;
    if (is_whole(options_.user_column, number)) {
      SOTTO_REQUIRE_AT(number >= 1 && number <= static_cast<Index>(kMaxRatingFields),
                       "`user-column`", "columns are numbered from 1, got {}", number);
      return static_cast<std::size_t>(number - 1);
    }
    SOTTO_REQUIRE_AT(found_.has_header, "`user-column`",
                     "the file has no header with names; give the number of the column");
    std::size_t user = ColumnLayout::kNone;
    for (std::size_t n = 0; n < first_.count; ++n) {
      if (plain_name(first_.field[n]) != plain_name(options_.user_column)) continue;
      SOTTO_REQUIRE_AT(user == ColumnLayout::kNone, "`user-column`",
                       "{} appears in the header twice", options_.user_column);
      user = n;
    }
    SOTTO_REQUIRE_AT(user != ColumnLayout::kNone, "`user-column`", "the header has no column {}",
                     options_.user_column);
    return user;
  }

  // The one column of the header with a name for users.
  std::size_t recognised_user() const {
    std::size_t user = ColumnLayout::kNone;
    for (std::size_t n = 0; n < first_.count; ++n) {
      if (!is_one_of(kUserNames, first_.field[n])) continue;
      if (user != ColumnLayout::kNone) return ColumnLayout::kNone;
      user = n;
    }
    return user;
  }

  std::size_t expected_user() const {
    if (!options_.for_users && !options_.one_user) return ColumnLayout::kNone;
    if (found_.has_header) return recognised_user();
    return declares_users() ? 0 : ColumnLayout::kNone;
  }

  std::vector<Column> columns() const {
    if (!options_.columns.empty()) return given_columns(options_.columns);
    if (found_.has_header && names_modes()) return matched_columns();
    if (found_.has_header) return named_columns();
    if (format_ == RatingFormat::tns) return index_columns();
    if (for_model()) return asked_columns();
    if (declares_users() && options_.records_are_private) {
      return columns_of({Role::mode, Role::mode, Role::value, Role::time});
    }
    SOTTO_REQUIRE_AT(!options_.records_are_private, "`columns`",
                     "is needed: the first line has no header that names the value, and a "
                     "private run does not read off a record what the columns are; for instance "
                     "user,item,value (or `header` yes)");
    return usual_columns();
  }

  bool for_model() const { return !options_.modes.empty(); }

  // The column of the header with the name of a mode of the model.
  std::size_t column_of_mode(std::size_t mode) const {
    const std::string name = plain_name(options_.modes[mode]);
    for (std::size_t n = 0; n < first_.count; ++n) {
      if (plain_name(first_.field[n]) == name) return n;
    }
    return ColumnLayout::kNone;
  }

  // Whether the header names the modes of the model: the items suffice where one user is enough.
  bool names_modes() const {
    for (std::size_t m = 0; m < options_.modes.size(); ++m) {
      const bool needed = !options_.one_user || m == 1;
      if (needed && column_of_mode(m) == ColumnLayout::kNone) return false;
    }
    return for_model();
  }

  // Modes by their names; of the others one may be the value and one the time.
  std::vector<Column> matched_columns() const {
    std::vector<Column> columns(first_.count, {Role::none, {}});
    for (std::size_t m = 0; m < options_.modes.size(); ++m) {
      if (column_of_mode(m) != ColumnLayout::kNone) columns[column_of_mode(m)].role = Role::mode;
    }
    std::size_t value = ColumnLayout::kNone;
    bool is_named = false;
    for (std::size_t n = 0; n < first_.count; ++n) {
      if (columns[n].role == Role::mode) continue;
      if (is_time_name(first_.field[n])) {
        columns[n].role = Role::time;
      } else if (!is_named) {
        is_named = is_one_of(kValueNames, first_.field[n]);
        value = n;
      }
    }
    if (value != ColumnLayout::kNone) columns[value].role = Role::value;
    return columns;
  }

  // Without a header: modes, the value, the time, as in the files that models are learnt from.
  std::vector<Column> asked_columns() const {
    const bool timed = options_.time_mode != TimeMode::none;
    std::size_t modes = options_.modes.size();
    const std::size_t rest = modes + (timed ? 1 : 0);
    if (options_.one_user && first_.count == 2) modes = 1;
    if (options_.one_user && first_.count == rest) --modes;
    std::vector<Column> columns(modes, {Role::mode, {}});
    if (first_.count > rest || modes < options_.modes.size()) columns.push_back({Role::value, {}});
    if (timed || first_.count == columns.size() + 1) columns.push_back({Role::time, {}});
    SOTTO_REQUIRE_AT(columns.size() == first_.count, place_,
                     "has {} fields, the model has {} modes; say what they are with `columns`",
                     first_.count, options_.modes.size());
    return columns;
  }

  // Whether columns without known names, so many of them, are modes and none is the value.
  bool lacks_value(std::size_t modes) const {
    return for_model() && options_.positions_only && modes <= options_.modes.size();
  }

  std::vector<Column> named_columns() const {
    std::vector<Column> columns;
    std::size_t values = 0, last = 0;
    for (std::size_t n = 0; n < first_.count; ++n) {
      const std::string_view name = first_.field[n];
      Role role = Role::mode;
      if (n != found_.user) {
        if (is_one_of(kValueNames, name)) role = values++ == 0 ? Role::value : Role::mode;
        if (is_time_name(name)) role = Role::time;
        if (role != Role::time) last = n;
      }
      columns.push_back({role, {}});
    }
    // A column that is taken for a mode may be published.
    SOTTO_REQUIRE_AT(
        values == 1 || !options_.records_are_private, "`columns`",
        "is needed: {} columns of the header are called rating, value, score or stars, "
        "and a private run does not guess which it protects; for instance "
        "user,item,value{}",
        values, values == 0 ? kWideTable : "");
    const auto modes = std::count_if(columns.begin(), columns.end(),
                                     [](const Column& c) { return c.role == Role::mode; });
    if (values == 0 && !lacks_value(static_cast<std::size_t>(modes))) {
      columns[last].role = Role::value;
    }
    return columns;
  }

  // All columns of a .tns file but the last are modes. Their number is public if positions are.
  // Users' ratings have two modes unless something else is said.
  std::vector<Column> index_columns() const {
    const bool is_said = !(options_.records_are_private && options_.for_users);
    if (lacks_value(first_.count)) return {first_.count, {Role::mode, {}}};
    std::vector<Column> columns(is_said ? std::max<std::size_t>(first_.count, 1) - 1 : 2,
                                {Role::mode, {}});
    columns.push_back({Role::value, {}});
    return columns;
  }

  std::vector<Column> usual_columns() const {
    SOTTO_REQUIRE_AT(first_.count == 3 || first_.count == 4, place_,
                     "has {} fields and no header; say what they are, for instance `columns` "
                     "mode,mode,mode,value{}",
                     first_.count, first_.count > 4 ? kWideTable : "");
    auto columns = columns_of({Role::mode, Role::mode, Role::value});
    if (first_.count == 4) columns.push_back({Role::time, {}});
    return columns;
  }

  // The users' column: by `columns`; by `user-column`; or the expected one, unless `columns` says
  // that it is something else.
  void take_user() {
    std::vector<Column>& columns = found_.columns;
    const bool is_named = !options_.user_column.empty();
    for (std::size_t n = 0; n < columns.size(); ++n) {
      if (columns[n].role != Role::user) continue;
      SOTTO_REQUIRE_AT(!is_named || found_.user == n, "`user-column`",
                       "`columns` says that column {} is the users'", n + 1);
      found_.user = n;
    }
    const auto may_be = [&](std::size_t n) {
      return n < columns.size() && (columns[n].role == Role::user || columns[n].role == Role::mode);
    };
    SOTTO_REQUIRE_AT(!is_named || may_be(found_.user), "`user-column`",
                     "column {} is not there, or is the value, the time, the items or left out",
                     found_.user + 1);
    if (!may_be(found_.user)) found_.user = ColumnLayout::kNone;
    const bool needs_user = options_.for_users && !options_.one_user;
    SOTTO_REQUIRE_AT(!needs_user || found_.user != ColumnLayout::kNone, "`user-column`",
                     "is needed: which column tells the users apart follows neither from a header "
                     "with exactly one name that is known nor from the format");
    if (found_.user != ColumnLayout::kNone) columns[found_.user].role = Role::user;
  }

  void check_roles() const {
    const std::string place = options_.columns.empty() ? place_ : "`columns`";
    const auto count = [&](Role role) {
      return std::count_if(found_.columns.begin(), found_.columns.end(),
                           [&](const Column& c) { return c.role == role; });
    };
    const bool may_lack = for_model() && options_.positions_only && count(Role::value) == 0;
    SOTTO_REQUIRE_AT(count(Role::value) == 1 || may_lack, place, "needs one value column, got {}",
                     count(Role::value));
    SOTTO_REQUIRE_AT(count(Role::time) <= 1, place,
                     "has more than one time column; name the columns with `columns`");
    SOTTO_REQUIRE_AT(count(Role::user) <= 1 && count(Role::item) <= 1, place,
                     "has more than one column of users or of items");
    const auto modes = count(Role::mode) + count(Role::user) + count(Role::item);
    const int least = options_.one_user ? 1 : 2;
    SOTTO_REQUIRE_AT(modes >= least && modes <= 5, place,
                     "needs {} to 5 mode columns, got {}; name them with `columns`{}", least, modes,
                     modes > 5 && may_be_wide() ? kWideTable : "");
  }

  void name_columns() {
    Index mode = 0;
    for (std::size_t n = 0; n < found_.columns.size(); ++n) {
      Column& column = found_.columns[n];
      mode += is_mode(column) ? 1 : 0;
      const bool named = found_.has_header && n < first_.count && !first_.field[n].empty();
      column.name = named ? std::string(first_.field[n]) : fmt::format("mode {}", mode);
      if (column.role == Role::value) found_.value = n;
      if (column.role == Role::time) found_.time = n;
    }
  }

  static bool is_mode(const Column& column) {
    return column.role == Role::mode || column.role == Role::user || column.role == Role::item;
  }

  // Users first, then items, where it is known which they are.
  void order_modes() {
    if (found_.has_header && options_.columns.empty() && names_modes()) {
      for (std::size_t m = 0; m < options_.modes.size(); ++m) {
        const std::size_t n = column_of_mode(m);
        found_.modes.push_back(n == ColumnLayout::kNone ? ColumnLayout::kImplied : n);
      }
      return;
    }
    const std::size_t item = options_.for_users ? item_column() : given_item();
    for (const std::size_t n : {found_.user, item}) {
      if (n != ColumnLayout::kNone) found_.modes.push_back(n);
    }
    for (std::size_t n = 0; n < found_.columns.size(); ++n) {
      if (is_mode(found_.columns[n]) && n != found_.user && n != item) found_.modes.push_back(n);
    }
    if (options_.one_user && found_.user == ColumnLayout::kNone &&
        found_.modes.size() < options_.modes.size()) {
      found_.modes.insert(found_.modes.begin(), ColumnLayout::kImplied);
    }
  }

  std::size_t given_item() const {
    const auto& columns = found_.columns;
    const auto at = std::find_if(columns.begin(), columns.end(),
                                 [](const Column& c) { return c.role == Role::item; });
    return at == columns.end() ? ColumnLayout::kNone
                               : static_cast<std::size_t>(at - columns.begin());
  }

  // The only mode column besides the users, or the only one of them with a name for items.
  std::size_t item_column() const {
    if (const std::size_t given = given_item(); given != ColumnLayout::kNone) return given;
    std::vector<std::size_t> others, recognised;
    for (std::size_t n = 0; n < found_.columns.size(); ++n) {
      if (found_.columns[n].role != Role::mode) continue;
      others.push_back(n);
      if (is_one_of(kItemNames, found_.columns[n].name)) recognised.push_back(n);
    }
    if (others.size() == 1) return others[0];
    SOTTO_REQUIRE_AT(recognised.size() == 1, "`columns`",
                     "is needed: {} columns may be the items; say which, for instance "
                     "user,item,-,value",
                     others.size());
    return recognised[0];
  }

  const Fields& first_;
  RatingFormat format_;
  const RatingFileOptions& options_;
  const std::string& place_;
  ColumnLayout found_;
};

}  // namespace

std::string ColumnLayout::describe(std::size_t column) const {
  if (column == kNone) return {};
  return has_header ? "the column " + columns[column].name : fmt::format("column {}", column + 1);
}

ColumnLayout find_columns(const Fields& first, RatingFormat format,
                          const RatingFileOptions& options, const std::string& place) {
  if (!options.columns_of_model || given_columns(options.columns).size() == first.count) {
    return Layout(first, format, options, place).find();
  }
  RatingFileOptions by_content = options;
  by_content.columns.clear();
  return Layout(first, format, by_content, place).find();
}

}  // namespace sotto
