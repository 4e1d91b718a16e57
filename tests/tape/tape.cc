// The program with a tape recorder in place of tap.cc (sotto/release/tap.h). Only for tests: what
// it plays protects nobody, whatever the certificate says.
//
//   SOTTO_RECORD=FILE  writes every release to the file, one JSON object per line, bit for bit
//   SOTTO_PLAY=FILE    replaces every release by the next one of the file
//
// It is a finding when a release is not the next one of the tape, or when the tape was not played
// to its end: one line on standard error that begins with "tape:", and exit code 9. The number,
// names, sizes or noise of the releases then depend on something other than public facts and
// releases.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "sotto/release/tap.h"

#include "sotto/base/json.h"

namespace {

constexpr int kFinding = 9;

[[noreturn]] void report(const std::string& finding) {
  std::fflush(nullptr);
  fmt::print(stderr, "tape: {}\n", finding);
  std::_Exit(kFinding);
}

// What the certificate could show of a release, and all that decides its noise.
using sotto::Json;

Json head_of(const sotto::ReleaseRecord& record) {
  return {{"what", record.what},
          {"mechanism", record.mechanism},
          {"sensitivity", record.sensitivity},
          {"noise", record.noise},
          {"values", record.values}};
}

Json body_of(const sotto::ReleaseContents& contents) {
  Json body = Json::array();
  if (const auto* block = std::get_if<std::span<double>>(&contents)) {
    for (const double number : *block) body.push_back(number);
  } else {
    for (const auto& [word, weight] : *std::get<1>(contents)) body.push_back({word, weight});
  }
  return body;
}

void replace(const sotto::ReleaseContents& contents, const Json& body) {
  if (const auto* block = std::get_if<std::span<double>>(&contents)) {
    if (body.size() != block->size()) {
      report(fmt::format("a release has {} numbers, on the tape {}", block->size(), body.size()));
    }
    for (std::size_t i = 0; i < block->size(); ++i) (*block)[i] = body[i].get<double>();
    return;
  }
  // The number of chosen words is itself released.
  auto& words = *std::get<1>(contents);
  words.clear();
  for (const Json& word : body)
    words.push_back({word[0].get<std::string>(), word[1].get<double>()});
}

class Recorder {
 public:
  explicit Recorder(const char* path) : file_(path) {}

  void pass(const sotto::ReleaseRecord& record, const sotto::ReleaseContents& contents) {
    Json release = head_of(record);
    release["released"] = body_of(contents);
    file_ << release.dump(-1, ' ', true) << '\n' << std::flush;
    if (!file_) report("cannot be written");
  }

 private:
  std::ofstream file_;
};

class Player {
 public:
  explicit Player(const char* path) {
    std::ifstream file(path);
    if (!file) report("cannot be read");
    for (std::string line; std::getline(file, line);) releases_.push_back(sotto::parse_json(line));
  }

  void pass(const sotto::ReleaseRecord& record, const sotto::ReleaseContents& contents) {
    const Json head = head_of(record);
    if (next_ == releases_.size()) {
      report(fmt::format("release {} is not on the tape: {}", next_ + 1, head.dump()));
    }
    Json recorded = releases_[next_++];
    const Json body = recorded["released"];
    recorded.erase("released");
    if (head != recorded) {
      report(fmt::format("release {} is {}, on the tape it is {}", next_, head.dump(),
                         recorded.dump()));
    }
    replace(contents, body);
  }

  void require_end() const {
    if (next_ < releases_.size()) {
      report(fmt::format("{} releases were made, the tape has {}", next_, releases_.size()));
    }
  }

 private:
  std::vector<Json> releases_;
  std::size_t next_ = 0;
};

// Lives until the process has ended.
template <class Machine>
Machine* machine_of(const char* variable) {
  const char* path = std::getenv(variable);
  return path == nullptr ? nullptr : new Machine(path);
}

Recorder* const recorder = machine_of<Recorder>("SOTTO_RECORD");
Player* const player = machine_of<Player>("SOTTO_PLAY");
const int at_exit = player == nullptr ? 0 : std::atexit([] { player->require_end(); });

}  // namespace

void sotto::tap(const ReleaseRecord& record, ReleaseContents contents) {
  if (player != nullptr) player->pass(record, contents);
  if (recorder != nullptr) recorder->pass(record, contents);
}
