// sotto generate ratings: observed entries of a tensor that is known.
#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <span>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/io/atomic_file.h"
#include "sotto/io/output_folder.h"
#include "sotto/report/write_result.h"
#include "sotto/synthetic/ratings.h"

namespace sotto::cli {
namespace {

class GenerateRatings final : public Command {
 public:
  std::string name() const override { return "generate ratings"; }
  std::string summary() const override { return "Make ratings of known users, items and months"; }
  OptionTable options() override {
    return OptionTable().append(model_.table()).append(common_.table());
  }
  std::string example() const override {
    return "sotto generate ratings --users 500 --items 200 -n 20000 --out ratings";
  }

  ExitCode run() override {
    SOTTO_REQUIRE_AT(!common_.out.empty(), "--out", "say where to write the ratings: --out DIR");
    common_.apply();
    OutputFolder folder(common_.out, common_.others());
    const auto start = std::chrono::steady_clock::now();
    const SyntheticRatings made = generate_ratings(model_);
    write_csv(folder.stage("ratings.csv"), made.train, made.train.value);
    write_csv(folder.stage("test.csv"), made.test, made.test.value);
    write_csv(folder.stage("test_truth.csv"), made.test, made.test_truth);
    ResultDocument result = start_document("Made-up ratings");
    result.value("entries", {{"ratings", made.train.size()}, {"test", made.test.size()}});
    result.seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    write_result(folder, result);
    if (common_.json) {
      fmt::print("{}", result_text(result));
    } else {
      fmt::print(
          "{}/ratings.csv: {} entries; {} more in test.csv, without noise in "
          "test_truth.csv\n",
          common_.out, made.train.size(), made.test.size());
    }
    return exit_done;
  }

 private:
  static void write_csv(const std::string& path, const ObservedEntries& entries,
                        std::span<const double> values) {
    constexpr std::size_t buffered = std::size_t{1} << 20;
    AtomicFile file(path);
    std::string text = "user,item,month,rating\n";
    for (Index e = 0; e < entries.size(); ++e) {
      text += fmt::format("{},{},{},{:.9g}\n", entries.row(0, e) + 1, entries.row(1, e) + 1,
                          entries.row(2, e) + 1, values[static_cast<std::size_t>(e)]);
      if (text.size() < buffered) continue;
      file.write(text);
      text.clear();
    }
    file.write(text);
    file.commit();
  }

  RatingModel model_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<Command> make_generate_ratings() { return std::make_unique<GenerateRatings>(); }

}  // namespace sotto::cli
