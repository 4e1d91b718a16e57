#include "cli/main.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/ranks.h"
#include "cli/short_waits.h"
#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/version.h"
#include "sotto/io/unfinished.h"

namespace sotto::cli {
namespace {

// An error message stays one line, whatever it quotes. It is lost where standard error is closed or
// full, and the exit code has to do. Memory may be what is lacking, so none is taken.
void say(const char* text) noexcept {
  std::fputs("sotto: ", stderr);
  for (; *text != 0; ++text) {
    std::fputc(static_cast<unsigned char>(*text) < 0x20 ? ' ' : *text, stderr);
  }
  std::fputc('\n', stderr);
}

// The command whose words begin the arguments; "generate tensor" has two.
Command* find_command(const Commands& commands, std::vector<std::string>& arguments) {
  for (const auto& command : commands) {
    const std::string name = command->name();
    const auto words = static_cast<std::size_t>(std::count(name.begin(), name.end(), ' ')) + 1;
    if (arguments.size() < words) continue;
    std::string joined = arguments[0];
    for (std::size_t w = 1; w < words; ++w) joined += " " + arguments[w];
    if (joined != name) continue;
    arguments.erase(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(words));
    return command.get();
  }
  return nullptr;
}

void parse(Command& command, std::vector<std::string> arguments) {
  CLI::App app;
  app.set_help_flag();
  OptionTable table = command.options();
  for (const Option& option : table.options()) {
    std::string flags = "--" + option.name;
    if (option.letter != 0) flags = fmt::format("-{},{}", option.letter, flags);
    if (option.is_flag) {
      app.add_flag_callback(flags, [set = option.set] { set("true"); });
    } else {
      app.add_option_function<std::string>(
          flags, [set = option.set, place = "--" + option.name](const std::string& value) {
            SOTTO_REQUIRE_AT(!value.empty(), place, "is given an empty value");
            set(value);
          });
    }
  }
  for (const Positional& p : command.positionals()) {
    CLI::Option* place =
        p.values != nullptr ? app.add_option(p.name, *p.values) : app.add_option(p.name, *p.value);
    place->required(!p.optional);
  }
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them back to front
  const std::string hint = fmt::format("(see sotto {} --help)", command.name());
  try {
    app.parse(arguments);
  } catch (const CLI::ExtrasError&) {
    throw Error(fmt::format("unknown option or argument '{}' {}", app.remaining().front(), hint),
                "");
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();  // "--name: 1 required ... missing", or ".. received 2"
    const bool missing = text.find("missing") != std::string::npos;
    throw Error(fmt::format("{} {}", missing ? "needs a value" : "is given twice", hint),
                text.substr(0, text.find(':')));
  } catch (const CLI::ParseError& error) {
    throw Error(fmt::format("{} {}", error.what(), hint), "");
  }
  for (const Option& option : table.options()) {
    SOTTO_REQUIRE_AT(!option.required || app.count("--" + option.name) > 0, "--" + option.name,
                     "is required {}", hint);
  }
}

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

ExitCode code_of(Fault fault) {
  switch (fault) {
    case Fault::input:
    case Fault::unopened:
      return exit_refused;
    case Fault::stopped:
      return exit_stopped;
    case Fault::system:
      break;
  }
  return exit_failed;
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

// Names of options as they are typed, where there is memory for that.
void say_error(const char* text) noexcept {
  try {
    say(with_dashes(text).c_str());
  } catch (const std::exception&) {
    say(text);
  }
}

// Says what is wrong, and returns the exit code.
int explain(const std::exception_ptr& thrown) noexcept {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    say_error(error.what());
    return code_of(error.fault());
  } catch (const std::bad_alloc&) {
    say("not enough memory");
  } catch (const std::filesystem::filesystem_error& error) {
    say_error(fmt::format("{}: {}", error.path1().string(), error.code().message()).c_str());
    return exit_refused;
  } catch (const std::system_error& error) {
    // fmt says so where a stream takes no more.
    const bool is_output = std::ferror(stdout) != 0;
    say(is_output ? "cannot write to standard output" : error.code().message().c_str());
  } catch (const std::exception&) {
    // The texts of other libraries mean nothing to a user, and may quote the data.
    say("an internal fault; please report the command that led to it");
  } catch (...) {
    say("an internal fault; please report the command that led to it");
  }
  return exit_failed;
}

// Where memory runs out, this is given back first: what is removed on the way out may need a
// little, and a destructor that fails ends the program (those of JSON take memory).
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

int main(const std::vector<std::string>& arguments) {
  std::unique_ptr<Ranks> ranks;
  try {
    ranks = join_ranks();
    const int code = run_as_rank(arguments, ranks.get());
    if (std::fflush(stdout) != 0) throw Error("cannot write to standard output", "", Fault::system);
    return code;
  } catch (const Error& error) {
    if (ranks && ranks->number() > 0) return code_of(error.fault());  // rank 0 says it
    return explain(std::current_exception());
  } catch (...) {
    return explain(std::current_exception());
  }
}

}  // namespace sotto::cli

int main(int argc, char** argv) {
  sotto::cli::hold_standard_descriptors();
  sotto::cli::start_with_short_waits(argv);
  sotto::clean_up_when_ended();
  sotto::cli::keep_reserve();
  try {
    return sotto::cli::main({argv + 1, argv + argc});
  } catch (const std::exception&) {
    return sotto::cli::explain(std::current_exception());  // no memory for the arguments
  }
}
