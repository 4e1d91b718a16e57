#include "cli/invocation.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>

#include "sotto/base/error.h"

namespace sotto::cli {
namespace {

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

// An error message stays one line, whatever it quotes.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  return text;
}

}  // namespace

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
      app.add_option_function<std::string>(flags, option.set);
    }
  }
  std::vector<std::string>* rest = command.rest();
  app.allow_extras(rest != nullptr);
  for (const Positional& p : command.positionals()) {
    if (rest != nullptr) break;
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
    const std::string text = error.what();  // "--name: 1 required ... missing"
    throw Error(fmt::format("needs a value {}", hint), text.substr(0, text.find(':')));
  } catch (const CLI::ParseError& error) {
    throw Error(fmt::format("{} {}", error.what(), hint), "");
  }
  if (rest != nullptr) *rest = app.remaining();
  for (const Option& option : table.options()) {
    SOTTO_REQUIRE_AT(!option.required || app.count("--" + option.name) > 0, "--" + option.name,
                     "is required {}", hint);
  }
}

int exit_code_of(const std::function<int()>& work, const std::function<bool()>& is_heard) {
  try {
    return work();
  } catch (const Error& error) {
    if (is_heard()) fmt::print(stderr, "sotto: {}\n", one_line(with_dashes(error.what())));
    return code_of(error.fault());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "sotto: not enough memory\n");
  } catch (const std::exception&) {
    // The texts of other libraries mean nothing to a user, and may quote the data.
    fmt::print(stderr, "sotto: an internal fault; please report the command that led to it\n");
  }
  return exit_failed;
}

}  // namespace sotto::cli
