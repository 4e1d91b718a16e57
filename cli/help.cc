#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "sotto/base/version.h"

namespace sotto::cli {
namespace {

constexpr auto kHeadline =
    "sotto " SOTTO_VERSION ": tensor decomposition that keeps each person's data private\n\n";

// `start` and a text, in lines of at most 100 characters, of which all but the first are indented.
std::string wrapped(const std::string& start, const std::string& text, std::size_t indent) {
  constexpr std::size_t kWidth = 100;
  std::string lines, line = start;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool begins = line == start;
    if (!begins && line.size() + 1 + word.size() > kWidth) {
      lines += line + "\n";
      line = std::string(indent, ' ') + word;
    } else {
      line += begins ? word : " " + word;
    }
  }
  return lines + line + "\n";
}

std::string usage(Command& command) {
  std::string line = "sotto " + command.name();
  for (const Positional& p : command.positionals()) {
    line += fmt::format(fmt::runtime(p.optional ? " [{}]" : " {}"), p.name);
    if (p.values != nullptr) line += "..";
  }
  return line + " [options]";
}

std::string command_list(const Commands& commands, const std::string& prefix) {
  std::string text;
  for (const auto& command : commands) {
    if (!command->name().starts_with(prefix)) continue;
    text += fmt::format("  {:<20}{}\n", command->name(), command->summary());
  }
  return text;
}

}  // namespace

std::string help_of(Command& command, bool all) {
  std::string text = fmt::format("{}\n\nusage: {}\n\n", command.summary(), usage(command));
  for (const Positional& p : command.positionals()) {
    text += wrapped(fmt::format("      {:<23}", p.name), p.help, 29);
  }
  const OptionTable table = command.options();
  const std::vector<std::string> usual = all ? std::vector<std::string>{} : command.usual_options();
  text += table.help_text(usual) + "      --help                 show this text\n";
  text += fmt::format("\nexample: {}\n", command.example());
  if (!usual.empty()) {
    text += fmt::format("\n{} more options: sotto {} --help-all\n",
                        table.options().size() - usual.size(), command.name());
  }
  return text;
}

std::string tour() {
  return std::string(kHeadline) +
         "From nothing to private topics, on documents whose topics are known:\n\n"
         "  sotto generate corpus -n 20000 -V 300 -k 4 --out corpus\n"
         "  sotto topics corpus/docword.txt -k 4 --epsilon 1 --delta 1e-6 --out found\n"
         "  sotto apply found corpus/docword.txt --out applied\n\n"
         "Then open found/report.html. For data of your own:\n\n"
         "  sotto decompose visits.tns --unit person -k 5 --epsilon 1 --delta 1e-6\n"
         "  sotto complete ratings.csv --epsilon 1 --range 1:5\n"
         "  sotto mixture points.npy -k 3\n\n"
         "Without --epsilon nothing is private, and the program says so. With --plan a private run "
         "says\nwhat it would release, before the data is read.\n\n"
         "  sotto --help             all commands\n"
         "  sotto COMMAND --help     the options of a command\n";
}

std::string overview(const Commands& commands) {
  return std::string(kHeadline) + "usage: sotto COMMAND [options]\n\n" +
         command_list(commands, "") +
         "\n  sotto COMMAND --help       the options most people need (also: sotto help COMMAND)\n"
         "  sotto COMMAND --help-all   all options\n"
         "  sotto --completion SHELL   completions for bash, zsh or fish\n"
         "  sotto --version            the version\n"
         "\nexit codes: 0 done, 1 failed, 2 bad usage or bad input, 3 ended without converging,\n"
         "130 stopped by Ctrl-C\n";
}

std::string group_overview(const Commands& commands, const std::string& group) {
  const std::string listed = command_list(commands, group + " ");
  return listed.empty() ? listed
                        : fmt::format("usage: sotto {} COMMAND [options]\n\n{}", group, listed);
}

std::string manual(const Commands& commands) {
  std::string text =
      "# The command line\n\nMade by `sotto --manual` from the option tables; a test keeps it "
      "current.\n\n" +
      wrapped("",
              "Exit codes: 0 done, 1 failed, 2 bad usage or bad input, 3 ended without converging "
              "(the result is written), 130 stopped by Ctrl-C (nothing is written; a second Ctrl-C "
              "ends the program at once). An error is one line on standard error.",
              0);
  for (const auto& command : commands) {
    text += fmt::format("\n## sotto {}\n\n{}.\n\n`{}`\n\n", command->name(), command->summary(),
                        usage(*command));
    for (const Positional& p : command->positionals()) {
      text += wrapped(fmt::format("`{}`: ", p.name), p.help, 0) + "\n";
    }
    text += fmt::format("Example: `{}`\n\n{}", command->example(), command->options().markdown());
  }
  return text;
}

}  // namespace sotto::cli
