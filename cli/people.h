// sotto decompose --unit person: its options and its run, apart from those of other tensors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "sotto/io/file_options.h"
#include "sotto/tasks/decompose.h"
#include "sotto/tasks/people.h"

namespace sotto::cli {

enum class TensorUnit { entry, person };
constexpr auto enum_names(TensorUnit) {
  return std::to_array<EnumName<TensorUnit>>(
      {{TensorUnit::entry, "entry"}, {TensorUnit::person, "person"}});
}

class PeopleFront {
 public:
  OptionTable table();
  bool chosen() const { return unit_ == TensorUnit::person; }
  // Refuses, for other units, options that only this one has.
  void check_unused() const;
  // Refuses, for this unit, options that only others have.
  static void check_others(const DecomposeTask& task, bool dim_given);
  // Options of the table that no other unit looks at.
  static std::vector<std::string> options();

  // What the command knows already.
  struct Asked {
    std::string path;
    TensorFormat format;
    IndexBase index_base;
    std::int64_t components, seed;
    std::string labels;
    bool csv;
    bool non_negative;
    const TargetOptions& privacy;
    bool plan;
    const CommonOptions& common;
    Ranks* ranks;
    // A document without these options.
    std::function<ResultDocument(const std::string& title, const std::vector<std::string>& unused)>
        document;
  };
  ExitCode run(const Asked& asked);
  // What a rank behind the first answers.
  AnswerQuestion answers(const std::string& path, TensorFormat format, IndexBase index_base) const;

 private:
  PeopleResult run_on_ranks(const Asked& asked) const;

  TensorUnit unit_ = TensorUnit::entry;
  PeopleTask task_;
  bool alpha0_given_ = false;
  std::optional<double> events_;
};

}  // namespace sotto::cli
