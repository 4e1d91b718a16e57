// From words to a command with its options, and from errors to one line and an exit code.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/help.h"

namespace sotto::cli {

// The command whose words begin the arguments, which then lose them; "generate tensor" has two.
Command* find_command(const Commands& commands, std::vector<std::string>& arguments);

// Reads the arguments into the fields of the command, or throws.
void parse(Command& command, std::vector<std::string> arguments);

// Writes to standard error. The message stays one line, whatever it quotes. It is lost where
// standard error is closed or full, and the exit code has to do.
void say(const char* text) noexcept;

// Says in one line on standard error what is wrong, and returns the exit code.
int explain(const std::exception_ptr& thrown) noexcept;

// Returns what the work returns; an error becomes one line on standard error, if messages are to be
// shown.
int exit_code_of(const std::function<int()>& work, const std::function<bool()>& is_heard);

}  // namespace sotto::cli
