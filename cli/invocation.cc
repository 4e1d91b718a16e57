#include "cli/invocation.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <system_error>

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

// Names of options as they are typed, if there is memory for that.
void say_error(const char* text) noexcept {
  try {
    say(with_dashes(text).c_str());
  } catch (const std::exception&) {
    say(text);
  }
}

}  // namespace

// Memory may have run out, so none is allocated here.
void say(const char* text) noexcept {
  std::fputs("sotto: ", stderr);
  for (; *text != 0; ++text) {
    std::fputc(static_cast<unsigned char>(*text) < 0x20 ? ' ' : *text, stderr);
  }
  std::fputc('\n', stderr);
}

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
    const std::string text = error.what();  // "--name: 1 required ... missing", or ".. received 2"
    const bool missing = text.find("missing") != std::string::npos;
    throw Error(fmt::format("{} {}", missing ? "needs a value" : "is given twice", hint),
                text.substr(0, text.find(':')));
  } catch (const CLI::ParseError& error) {
    throw Error(fmt::format("{} {}", error.what(), hint), "");
  }
  if (rest != nullptr) *rest = app.remaining();
  for (const Option& option : table.options()) {
    SOTTO_REQUIRE_AT(!option.required || app.count("--" + option.name) > 0, "--" + option.name,
                     "is required {}", hint);
  }
}

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
    // fmt throws this when a stream takes no more.
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

int exit_code_of(const std::function<int()>& work, const std::function<bool()>& is_heard) {
  try {
    return work();
  } catch (const Error& error) {
    if (!is_heard()) return code_of(error.fault());
    return explain(std::current_exception());
  } catch (...) {
    return explain(std::current_exception());
  }
}

}  // namespace sotto::cli
