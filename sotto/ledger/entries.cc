#include "sotto/ledger/entries.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "sotto/base/error.h"
#include "sotto/base/hexadecimal.h"

namespace sotto {
namespace {

constexpr const char* kApplicationId = "1936684148";  // "sott" in ASCII
constexpr const char* kLedgerFormat = "1";

std::string now_utc() {
  const auto now = std::chrono::system_clock::now();
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

// Lengths go before texts, so that no two rows have the same bytes.
std::string row_hash(const SecretKey& key, const std::vector<std::string>& parts) {
  KeyedDigest digest(key);
  for (const std::string& part : parts) {
    const std::uint64_t size = part.size();
    digest.add(&size, sizeof(size));
    digest.add(part.data(), part.size());
  }
  const KeyedDigest::Value value = digest.value();
  return hexadecimal(value.data(), value.size());
}

// Zeros where there is none, under which no row is whole.
SecretKey key_of(const Json& body) {
  SecretKey key{};
  const auto found = body.is_object() ? body.find("key") : body.end();
  if (found == body.end() || !found->is_string()) return key;
  const std::string text = *found;
  if (text.size() != 2 * key.size()) return key;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char* const digits = text.data() + 2 * i;
    const auto [end, failed] = std::from_chars(digits, digits + 2, key[i], 16);
    if (failed != std::errc() || end != digits + 2) return {};
  }
  return key;
}

}  // namespace

LedgerEntries::LedgerEntries(const std::string& path, Database::Missing missing)
    : database_(path, missing) {
  if (missing == Database::Missing::make && is_empty()) make();
  const auto pragma = [&](const std::string& name) {
    return database_.run("PRAGMA " + name).at(0).at(0);
  };
  SOTTO_REQUIRE_AT(pragma("application_id") == kApplicationId, path,
                   "is not a ledger of sotto, or is damaged");
  SOTTO_REQUIRE_AT(pragma("user_version") == kLedgerFormat, path,
                   "was made by another version of sotto; its format is {}",
                   pragma("user_version"));
}

bool LedgerEntries::is_empty() {
  return database_.run("PRAGMA application_id").at(0).at(0) == "0" &&
         database_.run("SELECT name FROM sqlite_master").empty();
}

// Two processes may both find the file empty: the second sees in the transaction that it is not.
void LedgerEntries::make() {
  database_.run("PRAGMA journal_mode=WAL");
  database_.transaction([&] {
    if (!is_empty()) return;
    database_.run(fmt::format("PRAGMA application_id={}", kApplicationId));
    database_.run(fmt::format("PRAGMA user_version={}", kLedgerFormat));
    database_.run(
        "CREATE TABLE entries(number INTEGER PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, "
        "data TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL)");
    key_ = fresh_secret_key();
    append("key", "", {{"key", hexadecimal(key_.data(), key_.size())}});
  });
}

std::vector<LedgerRow> LedgerEntries::read() {
  std::vector<LedgerRow> rows;
  last_ = 0;
  last_hash_.clear();
  for (const Database::Row& row :
       database_.run("SELECT number, time, kind, data, body, hash FROM entries ORDER BY number")) {
    Json body = parse_json(row[4]);
    if (rows.empty()) key_ = key_of(body);
    const bool whole =
        row[0] == fmt::format("{}", last_ + 1) && body.is_object() &&
        row[5] == row_hash(key_, {last_hash_, row[0], row[1], row[2], row[3], row[4]});
    SOTTO_REQUIRE_AT(whole, path(), "was changed by hand or is damaged, at row {}", last_ + 1);
    last_hash_ = row[5];
    rows.push_back({++last_, row[1], row[2], row[3], std::move(body)});
  }
  SOTTO_REQUIRE_AT(!rows.empty() && rows.front().kind == "key", path(),
                   "was changed by hand or is damaged, at row 1");
  return rows;
}

std::int64_t LedgerEntries::append(const std::string& kind, const std::string& data,
                                   const Json& body) {
  const std::string number = fmt::format("{}", last_ + 1), time = now_utc(), text = json_text(body);
  const std::string hash = row_hash(key_, {last_hash_, number, time, kind, data, text});
  database_.run("INSERT INTO entries VALUES(CAST(? AS INTEGER), ?, ?, ?, ?, ?)",
                {number, time, kind, data, text, hash});
  last_hash_ = hash;
  return ++last_;
}

}  // namespace sotto
