#include <omp.h>

#include <algorithm>
#include <filesystem>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/io/same_file.h"

namespace sotto::cli {

Positional files_of_points(std::vector<std::string>& paths) {
  return {"POINTS",
          "one record a row: .npy, CSV, raw numbers, UCI, LDA-C, SVMlight (- for stdin); several "
          "files are read one after the other",
          nullptr, false, &paths};
}

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_decompose());
  commands.push_back(make_stream());
  commands.push_back(make_topics());
  commands.push_back(make_mixture());
  commands.push_back(make_complete());
  commands.push_back(make_apply());
  commands.push_back(make_generate_tensor());
  commands.push_back(make_generate_points());
  commands.push_back(make_generate_corpus());
  commands.push_back(make_generate_ratings());
  commands.push_back(make_generate_visits());
  for (auto& command : make_account_commands()) commands.push_back(std::move(command));
  for (auto& command : make_ledger_commands()) commands.push_back(std::move(command));
  for (auto& command : make_verify_commands()) commands.push_back(std::move(command));
  commands.push_back(make_audit());
  commands.push_back(make_reproduce());
  return commands;
}

ResultDocument Command::start_document(const std::string& title,
                                       const std::vector<std::string>& unused) {
  ResultDocument document({name(), title, options(), arguments, unused});
  if (privacy() != nullptr) document.stated(privacy()->stated());
  return document;
}

OptionTable CommonOptions::table() {
  return OptionTable()
      .text("out", 'o', out, "DIR",
            "write result.json, report.html and the arrays (.npy) into this folder")
      .flag("force", force, "write into the folder of --out even if it holds other files")
      .flag("json", json, "print result.json to standard output")
      .integer("threads", 0, threads, {0, 4096}, "threads to use; 0 for all processors");
}

void CommonOptions::open_folder(std::optional<OutputFolder>& folder,
                                std::vector<std::string> inputs,
                                const TargetOptions& privacy) const {
  SOTTO_REQUIRE_AT(!force || !out.empty(), "--force", "needs --out");
  SOTTO_REQUIRE_AT(privacy.sign.empty() || !out.empty(), "`sign`", "needs `out` to write to");
  inputs.insert(inputs.end(), {privacy.sign, privacy.ledger});
  if (out.empty()) return;
  for (const std::string& input : inputs) {
    const std::string parent = std::filesystem::path(input).parent_path().string();
    SOTTO_REQUIRE_AT(
        input.empty() || input == "-" || !same_file(parent.empty() ? "." : parent, out), "--out",
        "{} holds {}, an input of this run; give another folder", out, input);
  }
  folder.emplace(out, others());
}

void CommonOptions::apply(const Ranks* ranks) const {
  Index wanted = threads > 0 ? threads : omp_get_max_threads();
  if (threads == 0 && ranks != nullptr) wanted /= ranks->on_this_machine();
  take_threads(static_cast<int>(std::max<Index>(1, wanted)));
}

}  // namespace sotto::cli
