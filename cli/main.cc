#include "cli/main.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/invocation.h"
#include "cli/ranks.h"
#include "cli/short_waits.h"
#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/version.h"
#include "sotto/io/unfinished.h"

namespace sotto::cli {
namespace {

bool asks_for_help(const std::string& word) {
  return word == "--help" || word == "-h" || word == "help";
}

bool asks_for_all_help(const std::string& word) { return word == "--help" || word == "--help-all"; }

int run(std::vector<std::string> arguments, Ranks* ranks) {
  const auto commands = all_commands();
  // "sotto help topics" and "sotto topics help" are "sotto topics --help".
  if (arguments.size() > 1 && asks_for_help(arguments[0])) {
    std::rotate(arguments.begin(), arguments.begin() + 1, arguments.end());
    arguments.back() = "--help";
  }
  if (arguments.empty() || asks_for_help(arguments[0])) {
    fmt::print("{}", arguments.empty() ? tour() : overview(commands));
    return exit_done;
  }
  if (arguments[0] == "--version") {
    fmt::print("sotto {}\n", SOTTO_VERSION);
    return exit_done;
  }
  if (arguments[0] == "--manual") {
    fmt::print("{}", manual(commands));
    return exit_done;
  }
  if (arguments[0] == "--completion") {
    SOTTO_REQUIRE_AT(arguments.size() == 2, "--completion", "needs the name of a shell");
    fmt::print("{}", completion(commands, arguments[1]));
    return exit_done;
  }
  const std::string group = group_overview(commands, arguments[0]);
  if (!group.empty() && arguments.size() > 1 && asks_for_help(arguments[1])) {
    fmt::print("{}", group);
    return exit_done;
  }
  Command* command = find_command(commands, arguments);
  SOTTO_REQUIRE(command != nullptr, "unknown command '{}' (see sotto {}--help)",
                group.empty() ? arguments[0] : join_text(arguments, " "),
                group.empty() ? "" : arguments[0] + " ");
  for (const std::string& word : arguments) {
    if (!asks_for_all_help(word)) continue;
    fmt::print("{}", help_of(*command, word == "--help-all"));
    return exit_done;
  }
  SOTTO_REQUIRE(ranks == nullptr || command->runs_on_ranks(),
                "'{}' does not run on several ranks: run it without mpirun", command->name());
  command->ranks = ranks;
  command->arguments = arguments;
  parse(*command, std::move(arguments));
  const int code = command->run();
  if (code == exit_not_converged) {
    say("ended without converging (exit code 3); the result is given anyway");
  }
  return code;
}

// What a rank behind the first answers. It says nothing itself: where it cannot answer, rank 0 will
// not ask, or tells what is wrong.
AnswerQuestion answers_of(std::vector<std::string> arguments, Ranks& ranks) {
  const auto commands = all_commands();
  Command* command = find_command(commands, arguments);
  if (command == nullptr || !command->runs_on_ranks()) return {};
  if (std::any_of(arguments.begin(), arguments.end(), asks_for_all_help)) return {};
  command->ranks = &ranks;
  try {
    parse(*command, std::move(arguments));
    return command->answers();
  } catch (const Error&) {
    return {};  // of the options, which are those of rank 0
  }
}

int run_as_rank(const std::vector<std::string>& arguments, Ranks* ranks) {
  if (ranks == nullptr || ranks->number() == 0) return run(arguments, ranks);
  ranks->serve(answers_of(arguments, *ranks));
  return exit_done;
}

// Freed first when memory runs out: cleaning up may need a little memory, and a destructor that
// fails ends the program (those of JSON allocate).
void* reserve = nullptr;

void use_reserve() {
  if (reserve == nullptr) throw std::bad_alloc();
  std::free(std::exchange(reserve, nullptr));
}

void keep_reserve() {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  reserve = std::malloc(kBytes);
  std::set_new_handler(use_reserve);
}

// A file that is opened must not become standard output or error because the caller closed them.
// The places are taken by descriptors of which every use fails.
void hold_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  std::unique_ptr<Ranks> ranks;
  const auto work = [&] {
    ranks = join_ranks();
    const int code = run_as_rank(arguments, ranks.get());
    if (std::fflush(stdout) != 0) throw Error("cannot write to standard output", "", Fault::system);
    return code;
  };
  const auto is_heard = [&] { return !ranks || ranks->number() == 0; };  // rank 0 says it
  return exit_code_of(work, is_heard);
}

}  // namespace sotto::cli

int main(int argc, char** argv) {
  sotto::cli::hold_standard_descriptors();
  sotto::cli::start_with_short_waits(argv);
  sotto::clean_up_when_ended();
  sotto::cli::keep_reserve();
  try {
    return sotto::cli::run_program({argv + 1, argv + argc});
  } catch (const std::exception&) {
    return sotto::cli::explain(std::current_exception());  // no memory for the arguments
  }
}
