#include <omp.h>

#include "cli/command.h"

namespace sotto::cli {

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_decompose());
  commands.push_back(make_stream());
  commands.push_back(make_topics());
  commands.push_back(make_mixture());
  commands.push_back(make_complete());
  commands.push_back(make_generate_tensor());
  commands.push_back(make_generate_points());
  commands.push_back(make_generate_corpus());
  commands.push_back(make_generate_ratings());
  for (auto& command : make_account_commands()) commands.push_back(std::move(command));
  commands.push_back(make_reproduce());
  return commands;
}

OptionTable CommonOptions::table() {
  return OptionTable()
      .text("out", 'o', out, "DIR",
            "write result.json, report.html and the arrays (.npy) into this folder")
      .flag("json", json, "print result.json to standard output")
      .integer("threads", 0, threads, {0, 4096}, "threads to use; 0 for all processors");
}

void CommonOptions::apply() const {
  if (threads > 0) omp_set_num_threads(static_cast<int>(threads));
}

}  // namespace sotto::cli
