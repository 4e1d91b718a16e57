#include "sotto/ledger/reservation.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/base/hexadecimal.h"

namespace sotto {
namespace {

void add_file(const std::string& path, KeyedDigest& digest) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes(1 << 20);
  while (file.read(bytes.data(), std::ssize(bytes)) || file.gcount() > 0) {
    digest.add(bytes.data(), static_cast<std::size_t>(file.gcount()));
  }
}

// Of the bytes of the files one after the other, whatever their names; empty where one of them
// cannot be read twice.
std::string fingerprint_of(const std::vector<std::string>& paths, const SecretKey& key) {
  KeyedDigest digest(key);
  for (const std::string& path : paths) {
    std::error_code failed;
    if (path == "-" || !std::filesystem::is_regular_file(path, failed)) return "";
    add_file(path, digest);
  }
  const KeyedDigest::Value value = digest.value();
  return hexadecimal(value.data(), value.size());
}

// A run on a file that is not there is refused before it costs anything.
void require_file(const std::string& path) {
  if (path == "-" || path.empty()) return;
  std::error_code failed;
  const bool readable =
      !std::filesystem::is_directory(path, failed) && std::ifstream(path, std::ios::binary).good();
  if (!readable) throw Error("cannot be opened", path, Fault::unopened);
}

// With the runs up to this one.
LedgerStanding standing_at(const LedgerAccount& account, std::int64_t run) {
  RunCount count(account.limits.back());
  LedgerStanding standing{account.data.unit, count.limit(), 0, {}};
  for (const LedgerRun& one : account.runs) {
    if (one.number > run) continue;
    ++standing.runs;
    count.add({one.counted.claim, 0, {}});
  }
  standing.asked = count.plain_sum();
  return standing;
}

}  // namespace

Reservation::Reservation(const std::string& path, const std::string& data,
                         const RunLedger::Request& request, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& others)
    : ledger_(path), request_(request), number_(0) {
  for (const std::string& file : inputs) require_file(file);
  for (const std::string& file : others) require_file(file);
  data_ = ledger_.account(data).data.name;
  number_ = ledger_.reserve(data_, request);
  standing_ = standing_at(ledger_.account(data_), number_);
  const std::string fingerprint = fingerprint_of(inputs, ledger_.key());
  if (!fingerprint.empty()) ledger_.set_fingerprint(number_, data_, fingerprint);
}

void Reservation::begin(const PrivacyClaim& target, const PrivacyStatement& statement) {
  SOTTO_REQUIRE(!begun_, "a place in a ledger pays for one run");
  SOTTO_REQUIRE(target.epsilon <= request_.asked.epsilon && target.delta <= request_.asked.delta &&
                    statement.unit.find(request_.unit) != std::string::npos,
                "this run is not the one for which the ledger has a place");
  begun_ = true;
}

void Reservation::commit() {
  SOTTO_REQUIRE(certificate_, "a run is committed to its ledger when it has a certificate");
  try {
    ledger_.commit(number_, data_, *certificate_);
  } catch (const Error& error) {
    throw Error(
        error.message() + "; the result is complete, and the run counts with its whole claim",
        error.place(), Fault::system);
  }
}

}  // namespace sotto
