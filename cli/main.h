// The program: finds the command, reads its options, runs it, and turns errors into one line and an
// exit code. The Python package runs it, too.
#pragma once

#include <string>
#include <vector>

namespace sotto::cli {

// The words after the name of the program; returns its exit code.
int run_program(const std::vector<std::string>& arguments);

}  // namespace sotto::cli
