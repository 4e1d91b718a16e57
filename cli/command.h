// A command of the program: its options, and what it does. One file a command; commands.cc lists
// them. A command holds no algorithm and no default of its own: both are the library's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/ranks.h"
#include "sotto/base/options.h"
#include "sotto/io/output_folder.h"
#include "sotto/release/privacy_options.h"
#include "sotto/report/document.h"

namespace sotto::cli {

enum ExitCode {
  exit_done = 0,
  exit_failed = 1,
  exit_refused = 2,
  exit_not_converged = 3,
  exit_stopped = 130,  // as a shell reports a program that Ctrl-C has ended
};

struct Positional {
  std::string name;
  std::string help;
  std::string* value;
  bool optional = false;
  std::vector<std::string>* values = nullptr;  // in place of `value`: one or more
};

// What commands over points read.
Positional files_of_points(std::vector<std::string>& paths);

class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;     // "generate tensor"
  virtual std::string summary() const = 0;  // one line
  virtual std::vector<Positional> positionals() { return {}; }
  virtual OptionTable options() = 0;
  // Where words go that no option takes, in place of positionals; null: they are refused.
  virtual std::vector<std::string>* rest() { return nullptr; }
  // The options that most people need, by name: what --help shows. Empty: all of them.
  virtual std::vector<std::string> usual_options() const { return {}; }
  // A command that runs as it stands, but for the names of its files.
  virtual std::string example() const = 0;
  virtual ExitCode run() = 0;

  // The options of a private run; none: the command has no such runs.
  virtual TargetOptions* privacy() { return nullptr; }
  // Whether several ranks may run the command together. Those behind the first do not run(): they
  // answer questions, from the same options.
  virtual bool runs_on_ranks() const { return false; }
  virtual AnswerQuestion answers() { return {}; }
  Ranks* ranks = nullptr;  // null: this process is alone

  // The arguments that follow the name, as they were typed: they run the command again.
  std::vector<std::string> arguments;

 protected:
  // A document for the result of this run, to be filled. It lists the options that the run used:
  // all but `unused`.
  ResultDocument start_document(const std::string& title,
                                const std::vector<std::string>& unused = {});
};

// What most commands have in common.
struct CommonOptions {
  std::string out;
  bool force = false;
  bool json = false;
  std::int64_t threads = 0;

  OptionTable table();
  // Sets the number of threads. Ranks on one machine share its processors.
  void apply(const Ranks* ranks = nullptr) const;
  OutputFolder::Others others() const {
    return force ? OutputFolder::Others::keep : OutputFolder::Others::refuse;
  }
  // Opens the folder of --out, if there is one. Refuses a folder that holds an input of this run,
  // since a former result in the folder is replaced.
  // A private run's ledger and key must not lie in it, either, and a key needs a folder to sign.
  void open_folder(std::optional<OutputFolder>& folder, std::vector<std::string> inputs,
                   const TargetOptions& privacy = {}) const;
};

std::vector<std::unique_ptr<Command>> all_commands();

// Each is defined in the file of its name.
std::unique_ptr<Command> make_decompose();
std::unique_ptr<Command> make_generate_tensor();
std::vector<std::unique_ptr<Command>> make_account_commands();
std::vector<std::unique_ptr<Command>> make_ledger_commands();
std::vector<std::unique_ptr<Command>> make_verify_commands();
std::unique_ptr<Command> make_generate_points();
std::unique_ptr<Command> make_generate_corpus();
std::unique_ptr<Command> make_stream();
std::unique_ptr<Command> make_topics();
std::unique_ptr<Command> make_mixture();
std::unique_ptr<Command> make_complete();
std::unique_ptr<Command> make_apply();
std::unique_ptr<Command> make_audit();
std::unique_ptr<Command> make_generate_ratings();
std::unique_ptr<Command> make_generate_visits();
std::unique_ptr<Command> make_reproduce();

}  // namespace sotto::cli
