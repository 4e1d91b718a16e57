// sotto generate visits: events of people with known phenotypes.
#include <fmt/format.h>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/base/stopwatch.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/tns.h"
#include "sotto/report/write_result.h"
#include "sotto/synthetic/visits.h"

namespace sotto::cli {
namespace {

class GenerateVisits final : public Command {
 public:
  std::string name() const override { return "generate visits"; }
  std::string summary() const override {
    return "Make events of people, codes and drugs with known phenotypes";
  }
  OptionTable options() override {
    return OptionTable().append(model_.table()).append(common_.table());
  }
  std::string example() const override {
    return "sotto generate visits -n 20000 --codes 100 --drugs 50 -k 3 --out visits";
  }

  ExitCode run() override {
    SOTTO_REQUIRE_AT(!common_.out.empty(), "--out", "say where to write the visits: --out DIR");
    common_.apply();
    OutputFolder folder(common_.out, common_.others());
    const Stopwatch making;
    const SyntheticVisits made = generate_visits(model_);
    // With a header: a private run takes the shape from there.
    write_tns(folder.stage("visits.tns"), made.visits, TnsDialect::tensor_toolbox);
    for (std::size_t m = 0; m < made.factors.size(); ++m) {
      folder.write_npy(fmt::format("factors_{}.npy", m + 1), made.factors[m]);
    }
    folder.write_npy("loadings.npy", Matrix(made.loadings));
    ResultDocument result = start_document("Made-up visits");
    result.value("dims", made.visits.dims()).value("entries", made.visits.nnz());
    result.seconds(making.seconds());
    write_result(folder, result);
    if (common_.json) {
      fmt::print("{}", result_text(result));
    } else {
      fmt::print("{}/visits.tns: {} people, {} entries; truth in factors_1.npy and so on\n",
                 common_.out, model_.people, made.visits.nnz());
    }
    return exit_done;
  }

 private:
  VisitModel model_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_generate_visits() { return std::make_unique<GenerateVisits>(); }

}  // namespace sotto::cli
