// sotto account: the privacy accountant on its own.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "cli/command.h"
#include "sotto/base/error.h"
#include "sotto/base/rounded_up.h"
#include "sotto/privacy/accountant.h"
#include "sotto/privacy/parse_spends.h"

namespace sotto::cli {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr RealRange kPositive{0, kInfinity, true, true};

enum class CalibratedNoise { gaussian, laplace };
constexpr auto enum_names(CalibratedNoise) {
  return std::to_array<EnumName<CalibratedNoise>>(
      {{CalibratedNoise::gaussian, "gaussian"}, {CalibratedNoise::laplace, "laplace"}});
}

// What these commands share: the options in the users' words, and how an answer is shown.
class Account : public Command {
 public:
  OptionTable options() override {
    return own_options().flag("json", json_, "print the result as JSON");
  }

  ExitCode run() override {
    const auto start = std::chrono::steady_clock::now();
    ResultDocument result = start_document(summary());
    const std::string text = answer(result);
    result.seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    fmt::print("{}", json_ ? result_text(result) : text);
    return exit_done;
  }

 protected:
  virtual OptionTable own_options() = 0;
  // Fills the result and returns it in words.
  virtual std::string answer(ResultDocument& result) = 0;

  OptionTable with_noise(OptionTable table) {
    return table
        .real("noise-multiplier", 's', noise_multiplier_, kPositive,
              "standard deviation of the noise over the sensitivity")
        .required();
  }
  OptionTable with_scale(OptionTable table) {
    return table
        .real("scale", 'b', scale_, kPositive, "scale of the Laplace noise over the sensitivity")
        .required();
  }
  OptionTable with_count(OptionTable table) {
    return table
        .integer("count", 0, count_, {1, std::numeric_limits<std::int64_t>::max()},
                 "number of releases")
        .real("delta", 0, delta_, {0, 1, false, true}, "probability that the bound may fail")
        .required();
  }

  double noise_multiplier_ = 0;
  double scale_ = 0;
  std::optional<double> sampling_rate_;
  std::int64_t count_ = 1;
  double delta_ = 0;
  bool json_ = false;
};

// Fills the result, and says it in words that promise no more than the numbers.
std::string show(const BestBound& found, double delta, ResultDocument& result) {
  result.value("epsilon", found.epsilon).value("accountant", found.rule);
  return fmt::format("epsilon {} at delta {}\n", rounded_up(found.epsilon, 10),
                     rounded_up(delta, 6));
}

class AccountGaussian final : public Account {
 public:
  std::string name() const override { return "account gaussian"; }
  std::string example() const override {
    return "sotto account gaussian --noise-multiplier 2 --count 10 --delta 1e-6";
  }
  std::string summary() const override { return "Epsilon of Gaussian releases, exactly"; }

 protected:
  OptionTable own_options() override { return with_count(with_noise({})); }
  std::string answer(ResultDocument& result) override {
    return show({account_gaussian(noise_multiplier_, count_, delta_), "gdp"}, delta_, result);
  }
};

class AccountLaplace final : public Account {
 public:
  std::string name() const override { return "account laplace"; }
  std::string example() const override {
    return "sotto account laplace --scale 10 --count 5 --delta 0";
  }
  std::string summary() const override { return "Epsilon of releases with Laplace noise"; }

 protected:
  OptionTable own_options() override { return with_count(with_scale({})); }
  std::string answer(ResultDocument& result) override {
    const Spend spend{LaplaceCost{1 / scale_}, count_};
    return show(account_by_rule({&spend, 1}, delta_), delta_, result);
  }
};

class AccountSubsampled final : public Account {
 public:
  std::string name() const override { return "account subsampled"; }
  std::string example() const override {
    return "sotto account subsampled --noise-multiplier 1.1 -q 0.01 --count 1000 --delta 1e-5";
  }
  std::string summary() const override {
    return "Epsilon of Gaussian releases on Poisson samples (neighbours add or remove one record)";
  }

 protected:
  OptionTable own_options() override {
    return with_count(with_noise({})
                          .real("sampling-rate", 'q', sampling_rate_, {0, 1, true, false},
                                "probability with which a record is in a sample")
                          .required());
  }
  std::string answer(ResultDocument& result) override {
    const Spend spend{SubsampledGaussianCost{noise_multiplier_, sampling_rate_.value()}, count_};
    return show(account_by_rule({&spend, 1}, delta_), delta_, result);
  }
};

// Training by noisy gradients as people describe it: "noise 1.1, batches of 256 out of 60,000, 10
// epochs". Each record is in a batch with probability batch / records.
class AccountSgd final : public Account {
 public:
  std::string name() const override { return "account sgd"; }
  std::string summary() const override {
    return "Epsilon of DP-SGD, from batch size, records and epochs";
  }
  std::string example() const override {
    return "sotto account sgd --noise-multiplier 1.1 --batch 256 --records 60000 --epochs 10 "
           "--delta 1e-5";
  }

 protected:
  OptionTable own_options() override {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    return with_noise({})
        .integer("batch", 0, batch_, {1, kMost}, "records of a batch, on average")
        .required()
        .integer("records", 'n', records_, {1, kMost}, "records of the data")
        .required()
        .real("epochs", 0, epochs_, kPositive,
              "passes over the data; the last batch counts as whole")
        .integer("steps", 0, steps_, {1, kMost}, "number of batches, instead of `epochs`")
        .real("delta", 0, delta_, {0, 1, false, true}, "probability that the bound may fail")
        .required();
  }
  std::string answer(ResultDocument& result) override {
    SOTTO_REQUIRE_AT(batch_ <= records_, "`batch`", "is more than the {} records there are",
                     records_);
    SOTTO_REQUIRE_AT(epochs_.has_value() != steps_.has_value(), "`epochs`",
                     "or `steps` must be given, one of the two");
    // Rounded up: a record is in a batch no more often than is charged.
    const double rate =
        std::nextafter(static_cast<double>(batch_) / static_cast<double>(records_), 1.0);
    const std::int64_t steps = steps_ ? *steps_ : steps_of_epochs();
    const Spend spend{SubsampledGaussianCost{noise_multiplier_, rate}, steps};
    result.value("sampling_rate", rate).value("steps", steps);
    const std::string epsilon = show(account_by_rule({&spend, 1}, delta_), delta_, result);
    return epsilon + fmt::format(
                         "{} steps; a record is in a batch with probability {:.6g}, drawn anew for "
                         "each batch\nbatches of fixed size or in shuffled order are not covered\n",
                         steps, rate);
  }

 private:
  std::int64_t steps_of_epochs() const {
    const double steps =
        std::ceil(*epochs_ * static_cast<double>(records_) / static_cast<double>(batch_));
    SOTTO_REQUIRE_AT(steps < 9e15, "`epochs`", "makes too many batches");
    return static_cast<std::int64_t>(steps);
  }

  std::int64_t batch_ = 0, records_ = 0;
  std::optional<double> epochs_;
  std::optional<std::int64_t> steps_;
};

class AccountCalibrate final : public Account {
 public:
  std::string name() const override { return "account calibrate"; }
  std::string example() const override {
    return "sotto account calibrate --epsilon 1 --count 10 --delta 1e-6";
  }
  std::string summary() const override { return "The least noise that keeps to an epsilon"; }

 protected:
  OptionTable own_options() override {
    return with_count(OptionTable()
                          .real("epsilon", 'e', epsilon_, kPositive, "epsilon to keep to")
                          .required()
                          .choice("noise", noise_, "kind of noise")
                          .real("sampling-rate", 'q', sampling_rate_, {0, 1, true, false},
                                "Gaussian noise on Poisson samples with this rate"));
  }
  std::string answer(ResultDocument& result) override {
    if (noise_ == CalibratedNoise::laplace) {
      SOTTO_REQUIRE_AT(!sampling_rate_, "--sampling-rate", "only works with Gaussian noise");
      const double scale = calibrate_laplace(epsilon_, delta_, count_);
      result.value("scale", scale);
      return fmt::format("Laplace scale {} times the sensitivity\n", rounded_up(scale, 10));
    }
    const double multiplier = sampling_rate_
                                  ? calibrate_subsampled(epsilon_, delta_, *sampling_rate_, count_)
                                  : calibrate_gaussian(epsilon_, delta_, count_);
    result.value("noise_multiplier", multiplier);
    return fmt::format("noise multiplier {}\n", rounded_up(multiplier, 10));
  }

 private:
  double epsilon_ = 0;
  CalibratedNoise noise_ = CalibratedNoise::gaussian;
};

class AccountCompare final : public Account {
 public:
  std::string name() const override { return "account compare"; }
  std::string example() const override {
    return "sotto account compare --releases gaussian:2:10,laplace:20:5 --delta 1e-6";
  }
  std::string summary() const override { return "What each accountant says of the same releases"; }

 protected:
  OptionTable own_options() override {
    return OptionTable()
        .text("releases", 0, releases_, "LIST",
              "comma separated: gaussian:NOISE_MULTIPLIER:COUNT, laplace:SCALE:COUNT, "
              "pure:EPSILON:COUNT, subsampled:NOISE_MULTIPLIER:SAMPLING_RATE:COUNT")
        .required()
        .real("delta", 0, delta_, {0, 1, false, true}, "probability that the bound may fail")
        .required();
  }
  std::string answer(ResultDocument& result) override {
    const std::vector<Spend> spends = parse_spends(releases_, "--releases");
    std::string text;
    Json accountants;
    for (const AccountLine& line : compare(spends, delta_)) {
      Json entry{{"accountant", line.accountant}};
      const bool applies = std::isfinite(line.epsilon);
      entry["epsilon"] = applies ? Json(line.epsilon) : Json(nullptr);
      entry["note"] = line.note;
      accountants.push_back(entry);
      text += fmt::format("{:<10} {:>16}", line.accountant,
                          applies ? rounded_up(line.epsilon, 8) : "-");
      text += line.note.empty() ? "\n" : fmt::format("  {}\n", line.note);
    }
    result.table("accountants", "What each accountant says", accountants);
    return text;
  }

 private:
  std::string releases_;
};

}  // namespace

std::vector<std::unique_ptr<Command>> make_account_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(std::make_unique<AccountGaussian>());
  commands.push_back(std::make_unique<AccountLaplace>());
  commands.push_back(std::make_unique<AccountSubsampled>());
  commands.push_back(std::make_unique<AccountSgd>());
  commands.push_back(std::make_unique<AccountCalibrate>());
  commands.push_back(std::make_unique<AccountCompare>());
  return commands;
}

}  // namespace sotto::cli
