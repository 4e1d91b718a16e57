#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sotto/decompose/power.h"
#include "sotto/moments/stream_oracle.h"
#include "sotto/synthetic/points.h"

namespace sotto {
namespace {

struct Outcome {
  Vector distances;      // |v - v^|, v^ the nearest that was found, for each component
  Vector weight_errors;  // |lambda - lambda^| for the same
};

// The streaming power method with `batch` fresh records for each answer.
Outcome run_stream(PointModel model, Index batch, Index starts, Index iterations) {
  PowerOptions power;
  power.components = model.components;
  power.starts = starts;
  power.iterations = iterations;
  power.tolerance = 0;
  power.polish = 0;
  power.residuals = false;
  power.seed = model.seed;
  const Index answers = power.components * (power.iterations + 1);
  model.records = answers * batch;
  auto source = std::make_unique<SyntheticPoints>(model);
  const Matrix truth = source->vectors();
  const Vector weights = source->weights();
  StreamOracle oracle(std::move(source), {answers, batch, 1});
  const Decomposition found = robust_power_method(oracle, power);
  const Matrix cosines = truth.transpose() * found.vectors();
  Outcome outcome{Vector(weights.size()), Vector(weights.size())};
  for (Index i = 0; i < weights.size(); ++i) {
    Index nearest = 0;
    const double cosine = cosines.row(i).maxCoeff(&nearest);
    outcome.distances[i] = std::sqrt(2 - 2 * cosine);
    outcome.weight_errors[i] = std::abs(weights[i] - found.weights[nearest]);
  }
  return outcome;
}

PointModel centred_model(Index dim, std::int64_t seed) {
  PointModel model;
  model.dim = dim;
  model.noise = 0.5;
  model.centred = true;
  model.seed = seed;
  return model;
}

TEST(StreamDecomposition, error_falls_as_one_over_the_square_root_of_the_batch) {
  constexpr int runs = 12;
  double before = 0;
  for (const Index batch : {2000, 8000, 32000}) {
    double square = 0;
    for (int run = 0; run < runs; ++run) {
      square += run_stream(centred_model(20, run), batch, 16, 10).distances.array().square().mean();
    }
    const double error = std::sqrt(square / runs);  // root mean square over components and runs
    RecordProperty("error_" + std::to_string(batch), std::to_string(error));
    if (before > 0) {
      EXPECT_GT(before / error, 1.6) << batch;
      EXPECT_LT(before / error, 2.5) << batch;
    }
    before = error;
  }
  EXPECT_LT(before, 1e-2);
}

// Wang & Anandkumar (2016), Theorem 3.1, for |v_i - v^_i| <= 1e-2, every component: epsilon =
// 1e-2 lambda_min and, all constants 1 and without logarithms,
//   n = max(sigma^2 d / epsilon^2, sigma^2 d^2 / lambda_min^2) records an answer,
//   R = ln(lambda_max d / epsilon), L = 4 k ln k.
// (The theorem prints the minimum of the two; the noise condition it rests on, its equation (4),
// asks for both.) sigma^2 d stands for the bound on n E|(T^ - T)(I,u,u)|^2, which is
// max_u E |x|^2 (x.u)^4, for these points w_1 (E c^6 + noise^2 E c^4) at u = v_1 up to noise^2/d.
TEST(StreamDecomposition, components_are_within_a_hundredth_at_the_sample_size_of_the_theorem) {
  const double goal = 1e-2, c4 = std::pow(4.0, 4.0 / 3) * (1.0 / 3 + 2.0 / 3 / 16),
               c6 = 16 * (1.0 / 3 + 2.0 / 3 / 64);
  for (const Index d : {10, 20, 50}) {
    const PointModel model = centred_model(d, 100 + d);
    const Vector weights = SyntheticPoints(model).weights();
    const double largest = weights.maxCoeff(), least = weights.minCoeff();
    const double epsilon = goal * least;
    const double variance = largest * (c6 + model.noise * model.noise * c4);  // sigma^2 d
    const double n =
        variance * std::max(1 / (epsilon * epsilon), static_cast<double>(d) / (least * least));
    const double iterations = std::ceil(std::log(largest * static_cast<double>(d) / epsilon));
    const auto k = static_cast<double>(weights.size());
    const Outcome outcome =
        run_stream(model, static_cast<Index>(n), static_cast<Index>(4 * k * std::log(k)),
                   static_cast<Index>(iterations));
    EXPECT_LE(outcome.distances.maxCoeff(), goal) << d;
    // epsilon is about the standard deviation of the largest weight from n records.
    EXPECT_LE(outcome.weight_errors.maxCoeff(), 4 * epsilon) << d;
    RecordProperty("records_" + std::to_string(d), std::to_string(static_cast<Index>(n)));
    RecordProperty("distance_" + std::to_string(d), std::to_string(outcome.distances.maxCoeff()));
    RecordProperty("weights_" + std::to_string(d),
                   std::to_string(outcome.weight_errors.maxCoeff()));
  }
}

}  // namespace
}  // namespace sotto
