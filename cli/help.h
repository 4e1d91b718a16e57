// What the program says about itself: help, the tour, the manual and completions for shells, all
// made from the option tables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace sotto::cli {

using Commands = std::vector<std::unique_ptr<Command>>;

// The most used options of a command with an example, or all of its options.
std::string help_of(Command& command, bool all);

// "sotto" alone: from nothing to a private result.
std::string tour();
std::string overview(const Commands& commands);
// "generate" and "account" are the first words of several commands; empty for other words.
std::string group_overview(const Commands& commands, const std::string& group);

// docs/cli.md.
std::string manual(const Commands& commands);

// A script that completes command lines; `shell` is bash, zsh or fish.
std::string completion(const Commands& commands, const std::string& shell);

}  // namespace sotto::cli
