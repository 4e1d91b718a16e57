// sotto apply: a former result used on new data.
#include "sotto/tasks/apply.h"

#include <fmt/format.h>

#include <optional>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/report/describe.h"
#include "sotto/report/write_result.h"

namespace sotto::cli {
namespace {

class Apply final : public Command {
 public:
  std::string name() const override { return "apply"; }
  std::string summary() const override { return "Use a former result on new data; spends nothing"; }
  std::vector<Positional> positionals() override {
    return {{"FOLDER", "the folder of a result of topics, mixture, stream, complete or decompose",
             &folder_},
            {"NEW", "new data of the kind that the result was learnt from", &path_}};
  }
  OptionTable options() override {
    return OptionTable().append(task_.table()).append(common_.table());
  }
  std::vector<std::string> usual_options() const override {
    return {"format", "vocab",     "text-column", "header", "columns",
            "given",  "recommend", "top",         "out",    "json"};
  }
  std::string example() const override { return "sotto apply found new.txt --out applied"; }

  ExitCode run() override {
    common_.apply();
    SOTTO_REQUIRE_AT(!common_.out.empty() || task_.recommend, "`out`",
                     "is needed: the numbers are written into a folder");
    std::optional<OutputFolder> out;
    common_.open_folder(out, {folder_ + "/result.json", path_, task_.vocab, task_.given});
    const ApplyResult result = sotto::apply(folder_, path_, task_);
    ResultDocument document = start_document("A model applied to new data");
    describe(result, document);
    if (out) {
      save(result, *out);
      write_result(*out, document);
    }
    fmt::print("{}", common_.json ? result_text(document) : to_text(result));
    return exit_done;
  }

 private:
  std::string folder_, path_;
  ApplyTask task_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_apply() { return std::make_unique<Apply>(); }

}  // namespace sotto::cli
