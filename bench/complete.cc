// Completion: updates per second, seconds per sweep, and the error on real ratings.
//   bench_complete speed           millions of updates per second of processor time
//   bench_complete sweep DIM SHARE processor seconds per sweep of CP least squares, rank 8, DIM^3
//   bench_complete quality FILE    RMSE of each method, 90/10 splits, month as third mode
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <string>

#include "sotto/complete/fit/als.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/fit.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/fit/sgd.h"
#include "sotto/io/read_ratings.h"
#include "sotto/synthetic/ratings.h"

namespace {

using namespace sotto;

CompletionModel make_model(LowRank kind, Index rank, const ObservedEntries& entries) {
  Start start;
  start.centre = {0, 0, 1};
  CompletionModel model = start_model(kind, rank, entries.dims, start);
  model.biases = fit_biases(entries, default_bias_shrink(3), 3);
  return model;
}

// The shortest processor time of one call on one thread: other work on the machine does not count.
template <class Work>
double best_processor_seconds(Work work) {
  double best = 1e300;
  for (int n = 0; n < 6; ++n) {
    const std::clock_t before = std::clock();
    work();
    best = std::min(best, static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
  }
  return best;
}

double updates_a_second(LowRank kind, Index rank, const ObservedEntries& entries) {
  CompletionModel model = make_model(kind, rank, entries);
  SgdSettings settings;
  settings.lambda = {10, 10, 1000};
  settings.centre = {0, 0, 1};
  settings.core_lambda = 1000;
  settings.core_centre = 1;
  settings.train_biases = true;
  settings.bias_shrink = default_bias_shrink(3);
  const auto solver = make_sgd(entries, settings, model);
  return static_cast<double>(entries.size()) / best_processor_seconds([&] { solver->epoch(); });
}

template <class Time>
double sweep_seconds(const ObservedEntries& entries, Index rank, bool variational, Time time) {
  CompletionModel model = make_model(LowRank::cp, rank, entries);
  const AlsSettings settings{{{10, 10, 1000}, {0, 0, 1}, 1, 0, true, {3, 3, 10}}, variational};
  const auto solver = make_als(entries, settings, model);
  return time([&] { solver->epoch(); });
}

void speed() {
  omp_set_num_threads(1);
  RatingModel truth;
  truth.ratings = 2000000;
  truth.test_share = 0.01;
  const ObservedEntries entries = generate_ratings(truth).train;
  const auto millions = static_cast<double>(entries.size()) / 1e6;
  fmt::print("cp_8_sgd {:.2f}\n", updates_a_second(LowRank::cp, 8, entries) / 1e6);
  fmt::print("tucker_5_sgd {:.2f}\n", updates_a_second(LowRank::tucker, 5, entries) / 1e6);
  const auto processor = [](auto work) { return best_processor_seconds(work); };
  fmt::print("cp_8_als {:.2f}\n", 3 * millions / sweep_seconds(entries, 8, false, processor));
  fmt::print("cp_8_bayes {:.2f}\n", 3 * millions / sweep_seconds(entries, 8, true, processor));
}

void sweep(Index dim, double share) {
  omp_set_num_threads(1);
  RatingModel truth;
  truth.model = RatingLaw::cp;
  truth.users = truth.items = truth.months = dim;
  truth.missing = 1 - share;
  truth.test_share = 0.001;
  const ObservedEntries entries = generate_ratings(truth).train;
  const auto processor = [](auto work) { return best_processor_seconds(work); };
  fmt::print("sweep_seconds {:.6f}\n", sweep_seconds(entries, 8, false, processor));
}

double test_rmse(const EntrySplit& split, const CompletionOptions& options) {
  const auto fit = fit_completion(split.kept, options, std::pair(0.5, 5.0));
  return root_mean_square_error(split.held_out, fit.model.predict(split.held_out));
}

// Mean and user and item biases, clipped to the range of the ratings.
double bias_rmse(const EntrySplit& split, std::vector<double> shrink) {
  const Biases biases = fit_biases(split.kept, shrink);
  double sum = 0;
  for (Index e = 0; e < split.held_out.size(); ++e) {
    const double x = std::clamp(biases.predict(split.held_out, e), 0.5, 5.0);
    sum += std::pow(x - split.held_out.at(e), 2);
  }
  return std::sqrt(sum / static_cast<double>(split.held_out.size()));
}

void quality(const std::string& path) {
  RatingFileOptions file;
  file.time_mode = TimeMode::month;
  const Ratings ratings =
      read_ratings(path, file).open(PublicDeclaration("a benchmark of public ratings"));
  constexpr int repeats = 3;
  double user_item = 0, with_month = 0;
  std::vector<EntrySplit> splits;
  for (std::uint64_t seed = 1; seed <= repeats; ++seed) {
    splits.push_back(split_entries(ratings.entries, 0.1, seed));
    user_item += bias_rmse(splits.back(), {3, 3, 1e12}) / repeats;
    with_month += bias_rmse(splits.back(), default_bias_shrink(3)) / repeats;
  }
  fmt::print("user_item_biases {:.4f}\nuser_item_month_biases {:.4f}\n", user_item, with_month);
  for (const auto& [name, model, method, rank] : {std::tuple{"cp_8_bayes", "cp", "bayes", 8},
                                                  {"cp_16_bayes", "cp", "bayes", 16},
                                                  {"cp_8_als", "cp", "als", 8},
                                                  {"cp_8_sgd", "cp", "sgd", 8},
                                                  {"tucker_5_als", "tucker", "als", 5},
                                                  {"tucker_5_sgd", "tucker", "sgd", 5}}) {
    CompletionOptions options;
    options.model = value_named<LowRank>(model).value();
    options.method = value_named<CompletionMethod>(method).value();
    options.rank = rank;
    double mean = 0;
    for (const EntrySplit& split : splits) mean += test_rmse(split, options) / repeats;
    fmt::print("{} {:.4f}\n", name, mean);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "speed";
  if (mode == "speed") speed();
  if (mode == "sweep" && argc > 3) sweep(std::atol(argv[2]), std::atof(argv[3]));
  if (mode == "quality" && argc > 2) quality(argv[2]);
}
