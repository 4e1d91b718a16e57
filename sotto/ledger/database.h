// An SQLite file: statements, transactions, and faults as Errors that name the file.
//
// A transaction takes the lock for writing when it begins, so what it read is still true when it
// writes. Another process that holds the lock is waited for, kBusySeconds at most. What is
// committed is on the disk (synchronous=FULL); a process that is killed leaves a whole file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct sqlite3;

namespace sotto {

inline constexpr int kBusySeconds = 4;

class Database {
 public:
  enum class Missing { refuse, make };

  // A file that is missing is refused, or made. Nothing is written yet.
  Database(std::string path, Missing missing);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }

  // One statement, with texts for its question marks.
  using Row = std::vector<std::string>;
  std::vector<Row> run(const std::string& sql, const std::vector<std::string>& values = {});

  // All of it or nothing.
  void transaction(const std::function<void()>& work);

 private:
  [[noreturn]] void fail(int code) const;

  std::string path_;
  sqlite3* handle_ = nullptr;
};

}  // namespace sotto
