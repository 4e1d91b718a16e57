#include "sotto/ledger/database.h"

#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

std::string text_of(sqlite3_stmt* statement, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
  const int count = sqlite3_column_bytes(statement, column);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(count));
}

}  // namespace

Database::Database(std::string path, Missing missing) : path_(std::move(path)) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path_, ignored);
  SOTTO_REQUIRE_AT(!path_.empty(), "`ledger`", "needs the name of a file");
  SOTTO_REQUIRE_AT(exists || missing == Missing::make, path_,
                   "there is no such ledger; make it with sotto ledger init");
  SOTTO_REQUIRE_AT(!exists || std::filesystem::is_regular_file(path_, ignored), path_,
                   "is not a file");
  const int create = missing == Missing::make ? SQLITE_OPEN_CREATE : 0;
  const int code =
      sqlite3_open_v2(path_.c_str(), &handle_, SQLITE_OPEN_READWRITE | create, nullptr);
  try {
    if (code != SQLITE_OK) fail(code);
    // A file that may not be written is opened for reading all the same.
    SOTTO_REQUIRE_AT(sqlite3_db_readonly(handle_, "main") == 0, path_, "cannot be written");
    sqlite3_busy_timeout(handle_, kBusySeconds * 1000);
    run("PRAGMA synchronous=FULL");
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close(handle_); }

// Texts of SQLite say nothing of the data; they are left out because they name no remedy.
void Database::fail(int code) const {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error("is in use by another program; try again when that has ended", path_);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw Error("cannot be written, or its folder cannot", path_);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
      throw Error("is not a ledger of sotto, or is damaged", path_);
    case SQLITE_FULL:
      throw Error("cannot be written: the disk is full", path_);
    case SQLITE_IOERR:
      throw Error("cannot be read or written: the disk is full, or has a fault", path_);
    default:
      throw Error(fmt::format("cannot be read or written: {}", sqlite3_errstr(code)), path_,
                  Fault::system);
  }
}

std::vector<Database::Row> Database::run(const std::string& sql,
                                         const std::vector<std::string>& values) {
  sqlite3_stmt* made = nullptr;
  int code = sqlite3_prepare_v2(handle_, sql.c_str(), -1, &made, nullptr);
  const Statement statement(made);
  if (code != SQLITE_OK) fail(code);
  int place = 0;
  for (const std::string& value : values) {
    sqlite3_bind_text(made, ++place, value.data(), static_cast<int>(value.size()),
                      SQLITE_TRANSIENT);
  }
  std::vector<Row> rows;
  while ((code = sqlite3_step(made)) == SQLITE_ROW) {
    Row row;
    for (int c = 0; c < sqlite3_column_count(made); ++c) row.push_back(text_of(made, c));
    rows.push_back(std::move(row));
  }
  if (code != SQLITE_DONE) fail(code);
  return rows;
}

void Database::transaction(const std::function<void()>& work) {
  run("BEGIN IMMEDIATE");
  try {
    work();
    run("COMMIT");
  } catch (...) {
    // The fault that is reported is the first one.
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace sotto
