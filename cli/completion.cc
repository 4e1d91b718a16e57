// Completions for shells: the commands, their options, and the values of options that have a list.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/help.h"
#include "sotto/base/error.h"
#include "sotto/base/join_text.h"

namespace sotto::cli {
namespace {

// "none|english|FILE" has the values none and english.
std::vector<std::string> values_of(const Option& option) {
  std::vector<std::string> values;
  if (option.value_name.find('|') == std::string::npos) return values;
  std::string value;
  for (const char c : option.value_name + "|") {
    if (c != '|') {
      value += c;
      continue;
    }
    const bool is_kind = std::any_of(
        value.begin(), value.end(), [](unsigned char letter) { return std::isupper(letter) != 0; });
    if (!is_kind) values.push_back(value);
    value.clear();
  }
  return values;
}

bool takes_a_number(const Option& option) {
  return option.value_name == "N" || option.value_name == "X";
}

// A help text as one argument within single quotes; `escaped` get a backslash.
std::string quoted(const std::string& text, const std::string& escaped = "") {
  std::string result = "'";
  for (const char c : with_dashes(text)) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (escaped.find(c) != std::string::npos) result += '\\';
    result += c;
  }
  return result + "'";
}

// What may follow each first word: "generate" is followed by "tensor", "points", ..
std::vector<std::pair<std::string, std::vector<std::string>>> next_words(const Commands& commands) {
  std::vector<std::pair<std::string, std::vector<std::string>>> result = {{"", {}}};
  for (const auto& command : commands) {
    const std::string name = command->name();
    const std::size_t space = name.find(' ');
    const std::string first = name.substr(0, space);
    std::vector<std::string>& firsts = result[0].second;
    if (std::find(firsts.begin(), firsts.end(), first) == firsts.end()) firsts.push_back(first);
    if (space == std::string::npos) continue;
    if (result.back().first != first) result.push_back({first, {}});
    result.back().second.push_back(name.substr(space + 1));
  }
  return result;
}

std::string bash_completion(const Commands& commands) {
  std::string text =
      "# Completions of sotto for bash.\n"
      "_sotto() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local words= options= values=\n"
      "  COMPREPLY=()\n"
      "  case \"${COMP_WORDS[*]:1:COMP_CWORD-1} \" in\n";
  for (const auto& [first, words] : next_words(commands)) {
    text += fmt::format("    '{} ') words='{}' ;;\n", first, join_text(words, " "));
  }
  for (const auto& command : commands) {
    std::string names = "--help --help-all", cases;
    const OptionTable table = command->options();
    for (const Option& option : table.options()) {
      names += " --" + option.name;
      const std::vector<std::string> values = values_of(option);
      if (values.empty()) continue;
      cases += fmt::format("        --{}) values='{}' ;;\n", option.name, join_text(values, " "));
    }
    text += fmt::format("    '{} '*)\n      options='{}'\n", command->name(), names);
    if (!cases.empty()) text += fmt::format("      case $before in\n{}      esac\n", cases);
    text += "      ;;\n";
  }
  return text +
         "  esac\n"
         "  if [[ -n $words ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  elif [[ -n $values ]]; then COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
         "  elif [[ $current == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- "
         "\"$current\"))\n"
         "  else COMPREPLY=($(compgen -f -- \"$current\")); compopt -o filenames\n"
         "  fi\n"
         "}\n"
         "complete -F _sotto sotto\n";
}

std::string zsh_option(const Option& option) {
  const std::string help = quoted(option.help, "[]:");
  const std::string text = fmt::format("--{}[{}]", option.name, help.substr(1, help.size() - 2));
  if (option.is_flag) return "'" + text + "'";
  const std::vector<std::string> values = values_of(option);
  const std::string kinds = !values.empty()          ? fmt::format("({})", join_text(values, " "))
                            : takes_a_number(option) ? " "
                                                     : "_files";
  return fmt::format("'{}:{}:{}'", text, option.name, kinds);
}

std::string zsh_completion(const Commands& commands) {
  std::string text =
      "#compdef sotto\n"
      "# Completions of sotto for zsh.\n"
      "_sotto() {\n"
      "  case \"${(j: :)words[2,CURRENT-1]} \" in\n";
  for (const auto& [first, words] : next_words(commands)) {
    text += fmt::format("    '{} ') compadd {} ;;\n", first, join_text(words, " "));
  }
  for (const auto& command : commands) {
    const std::string name = command->name();
    const auto count = std::count(name.begin(), name.end(), ' ') + 1;
    text += fmt::format("    '{} '*)\n      shift {} words; (( CURRENT -= {} ))\n      _arguments",
                        name, count, count);
    const OptionTable table = command->options();
    for (const Option& option : table.options()) text += " \\\n        " + zsh_option(option);
    text += " \\\n        '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_sotto \"$@\"\n";
}

std::string fish_completion(const Commands& commands) {
  std::string text = "# Completions of sotto for fish.\n";
  for (const auto& [first, words] : next_words(commands)) {
    const std::string when = first.empty() ? "__fish_use_subcommand"
                                           : fmt::format(
                                                 "__fish_seen_subcommand_from {0}; and not "
                                                 "__fish_seen_subcommand_from {1}",
                                                 first, join_text(words, " "));
    text += fmt::format("complete -c sotto -f -n '{}' -a '{}'\n", when, join_text(words, " "));
  }
  for (const auto& command : commands) {
    std::string name = command->name(), when = "__fish_seen_subcommand_from ";
    const std::size_t space = name.find(' ');
    when += name.substr(0, space);
    if (space != std::string::npos) {
      when += "; and __fish_seen_subcommand_from " + name.substr(space + 1);
    }
    const OptionTable table = command->options();
    for (const Option& option : table.options()) {
      text += fmt::format("complete -c sotto -n '{}' -l {}", when, option.name);
      if (option.letter != 0) text += fmt::format(" -s {}", option.letter);
      const std::vector<std::string> values = values_of(option);
      if (!values.empty()) {
        text += fmt::format(" -x -a '{}'", join_text(values, " "));
      } else if (!option.is_flag) {
        text += takes_a_number(option) ? " -x" : " -r";
      }
      text += fmt::format(" -d {}\n", quoted(option.help));
    }
  }
  return text;
}

}  // namespace

std::string completion(const Commands& commands, const std::string& shell) {
  if (shell == "bash") return bash_completion(commands);
  if (shell == "zsh") return zsh_completion(commands);
  if (shell == "fish") return fish_completion(commands);
  throw Error(fmt::format("knows bash, zsh and fish, not '{}'", shell), "--completion");
}

}  // namespace sotto::cli
