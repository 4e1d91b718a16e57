// The rows of a ledger: an append-only list of what happened, each with the hash of the row before.
//
// A row that was changed, removed or put in between breaks the chain, and the ledger is refused.
// The key of the hashes is in the first row: the chain shows accidents and edits by hand, not the
// work of somebody who computes it anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/keyed_digest.h"
#include "sotto/ledger/database.h"

namespace sotto {

struct LedgerRow {
  std::int64_t number = 0;
  std::string time;  // UTC
  std::string kind;
  std::string data;  // the name of the data, where the row has one
  Json body;
};

class LedgerEntries {
 public:
  // Refuses a file that is not a ledger, and changes nothing in it. With `make` a file that is
  // missing or empty becomes one.
  LedgerEntries(const std::string& path, Database::Missing missing);

  const std::string& path() const { return database_.path(); }
  const SecretKey& key() const { return key_; }

  // All rows, in order. Refuses a broken chain.
  std::vector<LedgerRow> read();
  // Within a transaction, after read(): puts a row behind the last one and returns its number.
  std::int64_t append(const std::string& kind, const std::string& data, const Json& body);
  void transaction(const std::function<void()>& work) { database_.transaction(work); }

 private:
  bool is_empty();
  void make();

  Database database_;
  SecretKey key_{};
  std::int64_t last_ = 0;
  std::string last_hash_;
};

}  // namespace sotto
