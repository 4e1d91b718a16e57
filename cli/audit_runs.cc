#include "cli/audit_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "cli/command.h"
#include "cli/invocation.h"
#include "sotto/audit/seen_json.h"
#include "sotto/base/error.h"
#include "sotto/base/json.h"
#include "sotto/base/progress.h"
#include "sotto/release/observer.h"

namespace sotto::cli {
namespace {

constexpr std::size_t kMostNumbers = 1000;  // of one release that are kept of each run

// What the processes of runs and audit share is a file in memory, which nobody else can open.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("sotto audit", MFD_CLOEXEC)) {
    if (file_ < 0) throw Error("cannot make a file in memory", "", Fault::system);
  }
  ~MemoryFile() {
    if (file_ >= 0) ::close(file_);
  }
  MemoryFile(MemoryFile&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int number() const { return file_; }
  std::string text() const {
    std::string text(static_cast<std::size_t>(std::max<off_t>(0, ::lseek(file_, 0, SEEK_END))), 0);
    std::size_t read = 0;
    while (read < text.size()) {
      const ssize_t some =
          ::pread(file_, text.data() + read, text.size() - read, static_cast<off_t>(read));
      if (some <= 0) break;
      read += static_cast<std::size_t>(some);
    }
    text.resize(read);
    return text;
  }
  void write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t some = ::write(file_, text.data() + done, text.size() - done);
      if (some <= 0) ::_exit(exit_failed);
      done += static_cast<std::size_t>(some);
    }
  }

 private:
  int file_;
};

class SeeingObserver final : public ReleaseObserver {
 public:
  explicit SeeingObserver(AuditedOutcome& outcome) : outcome_(outcome) {}

  void released(const ReleaseRecord& record, const ReleaseContents& contents) override {
    audit::SeenRelease release{record, {}};
    if (const auto* block = std::get_if<std::span<double>>(&contents)) {
      release.numbers.assign(block->begin(), block->end());
    } else {
      const auto& words = *std::get<std::vector<WeightedWord>*>(contents);
      release.numbers.push_back(static_cast<double>(words.size()));
      for (const auto& [word, weight] : words) {
        outcome_.seen.words.insert(record.what + ": " + word);
        outcome_.seen.published[record.what + ": " + word] = weight;
      }
    }
    outcome_.seen.releases.push_back(std::move(release));
  }
  void certified(const Certificate& certificate) override { outcome_.certificate = certificate; }

 private:
  AuditedOutcome& outcome_;
};

bool is_given(Command& command, const std::string& name) {
  const OptionTable table = command.options();
  for (const Option& option : table.options()) {
    if (option.name != name) continue;
    const Json value = option.get();
    return value.is_string() ? !value.get<std::string>().empty()
                             : value.is_number() || (value.is_boolean() && value.get<bool>());
  }
  return false;
}

std::string& input_of(Command& command) {
  const Positional input = command.positionals().front();
  if (input.values == nullptr) return *input.value;
  SOTTO_REQUIRE(input.values->size() == 1, "an audit takes one file of data, got {}",
                input.values->size());
  return input.values->front();
}

// Parses the words again: a command object is used once.
struct Invoked {
  explicit Invoked(std::vector<std::string> words) : commands(all_commands()) {
    command = find_command(commands, words);
    SOTTO_REQUIRE(command != nullptr && command->privacy() != nullptr,
                  "an audit needs a command with private runs: decompose, stream, topics, mixture "
                  "or complete");
    parse(*command, std::move(words));
  }
  Commands commands;
  Command* command;
};

Json to_json(const AuditedOutcome& outcome) {
  Json json{
      {"seen", audit::to_json(outcome.seen)}, {"code", outcome.code}, {"message", outcome.message}};
  if (outcome.certificate) json["certificate"] = audit::to_json(*outcome.certificate);
  return json;
}

AuditedOutcome outcome_from(const std::string& bytes) {
  const Json json = Json::from_cbor(bytes, true, false);
  if (json.is_discarded()) return {{}, exit_failed, "the run broke off", {}};
  AuditedOutcome outcome{audit::seen_run(json["seen"]),
                         json["code"].get<int>(),
                         json["message"].get<std::string>(),
                         {}};
  if (json.contains("certificate")) {
    outcome.certificate = audit::certificate_of(json["certificate"]);
  }
  return outcome;
}

// A message as a part of another one: without the program's name and the end of the line. Text that
// was read from memory has the name of the file that it replaces.
std::string one_line(std::string message, const std::string& read, const std::string& named) {
  constexpr std::string_view kProgram = "sotto: ";
  if (message.starts_with(kProgram)) message.erase(0, kProgram.size());
  if (message.ends_with('\n')) message.pop_back();
  for (std::size_t at = 0; (at = message.find(read, at)) != std::string::npos; at += named.size()) {
    message.replace(at, read.size(), named);
  }
  return message;
}

struct Child {
  ::pid_t process;
  MemoryFile bytes;
};

AuditedOutcome collect(const Child& child) {
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  AuditedOutcome outcome = outcome_from(child.bytes.text());
  if (WIFSIGNALED(status)) outcome.code = 128 + WTERMSIG(status);
  outcome.seen.words.insert(fmt::format("exit code {}", outcome.code));
  outcome.seen.words.insert("message: " + outcome.message);
  return outcome;
}

}  // namespace

AuditRuns::AuditRuns(std::vector<std::string> words, std::int64_t jobs)
    : words_(std::move(words)), jobs_(jobs) {
  SOTTO_REQUIRE(!words_.empty(), "an audit needs a command, such as: sotto audit mixture ..");
  const Invoked invoked(words_);
  Command& command = *invoked.command;
  SOTTO_REQUIRE(command.privacy()->asked(),
                "an audit needs a private command: `epsilon` is missing");
  for (const char* option :
       {"out", "ledger", "sign", "checkpoint", "insecure-seed", "plan", "check", "infer", "json"}) {
    SOTTO_REQUIRE_AT(!is_given(command, option), fmt::format("`{}`", option),
                     "does not work in an audit, which leaves nothing behind");
  }
  path_ = input_of(command);
  SOTTO_REQUIRE(path_ != "-", "an audit reads its file many times, so it cannot be standard input");
  words_.emplace_back("--json");
  if (!is_given(command, "threads") || command.options().to_json()["threads"] == 0) {
    words_.insert(words_.end(), {"--threads", "1"});
  }
}

Json AuditRuns::option(const std::string& name) const {
  const Invoked invoked(words_);
  return is_given(*invoked.command, name) ? invoked.command->options().to_json()[name] : Json();
}

AuditedOutcome AuditRuns::outcome_of(const AuditedRun& run) const {
  AuditedOutcome outcome;
  const MemoryFile output, message, input;
  ::dup2(output.number(), STDOUT_FILENO);
  ::dup2(message.number(), STDERR_FILENO);
  std::string path = run.path;
  if (run.text) {
    input.write(run.text());
    path = fmt::format("/proc/self/fd/{}", input.number());
  }
  const auto work = [&] {
    const Invoked invoked(words_);
    input_of(*invoked.command) = path;
    invoked.command->privacy()->insecure_seed = run.insecure_seed;
    invoked.command->privacy()->observer = std::make_shared<SeeingObserver>(outcome);
    return static_cast<int>(invoked.command->run());
  };
  outcome.code = exit_code_of(work, [] { return true; });
  std::fflush(nullptr);
  outcome.message = one_line(message.text(), path, run.path);
  const Json result = parse_json(output.text());
  if (!result.is_discarded()) audit::add_result(result, outcome.seen);
  cut(outcome.seen);
  return outcome;
}

std::vector<AuditedOutcome> AuditRuns::run(const std::vector<AuditedRun>& runs) const {
  std::vector<AuditedOutcome> outcomes;
  std::deque<Child> started;
  ProgressBar bar(stderr);
  std::fflush(nullptr);
  for (std::size_t next = 0; outcomes.size() < runs.size();) {
    if (next < runs.size() && std::ssize(started) < jobs_) {
      Child child{0, MemoryFile()};
      child.process = ::fork();
      if (child.process < 0) throw Error("cannot start a process", "", Fault::system);
      if (child.process == 0) {
        std::string bytes;
        Json::to_cbor(to_json(outcome_of(runs[next])), bytes);
        child.bytes.write(bytes);
        ::_exit(exit_done);
      }
      started.push_back(std::move(child));
      ++next;
      continue;
    }
    outcomes.push_back(collect(started.front()));
    started.pop_front();
    bar({"runs", std::ssize(outcomes), std::ssize(runs)});
  }
  return outcomes;
}

void AuditRuns::cut(audit::SeenRun& run) const {
  for (std::size_t r = 0; r < run.releases.size(); ++r) {
    std::vector<double>& numbers = run.releases[r].numbers;
    const auto found = kept_.find(r);
    if (found == kept_.end()) continue;
    std::vector<double> kept;
    for (const std::size_t i : found->second) {
      if (i < numbers.size()) kept.push_back(numbers[i]);
    }
    numbers = std::move(kept);
  }
}

void AuditRuns::keep_what_differs(
    std::vector<std::pair<audit::SeenRun, audit::SeenRun>>& same_noise) {
  const auto& first = same_noise.front().first.releases;
  for (std::size_t r = 0; r < first.size(); ++r) {
    const std::size_t size = first[r].numbers.size();
    if (size <= kMostNumbers) continue;
    std::vector<double> gap(size);
    for (const auto& [here, there] : same_noise) {
      if (r >= here.releases.size() || r >= there.releases.size()) continue;
      const auto &a = here.releases[r].numbers, &b = there.releases[r].numbers;
      for (std::size_t i = 0; i < std::min({size, a.size(), b.size()}); ++i) gap[i] += b[i] - a[i];
    }
    std::vector<std::size_t>& kept = kept_[r];
    kept.resize(size);
    std::iota(kept.begin(), kept.end(), 0U);
    std::stable_sort(kept.begin(), kept.end(), [&](std::size_t i, std::size_t j) {
      return std::abs(gap[i]) > std::abs(gap[j]);
    });
    kept.resize(kMostNumbers);
    std::sort(kept.begin(), kept.end());
  }
  for (auto& [here, there] : same_noise) {
    cut(here);
    cut(there);
  }
}

}  // namespace sotto::cli
