#include "sotto/study/stream_recovery.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "sotto/linalg/gemm.h"
#include "sotto/tasks/stream.h"

namespace sotto {
namespace {

// Reads rows in place.
class BorrowedRows final : public PointSource {
 public:
  explicit BorrowedRows(const RowMatrix& rows) : rows_(rows) {}
  Index dim() const override { return rows_.cols(); }
  std::string name() const override { return "records in memory"; }
  std::optional<Index> records() const override { return rows_.rows(); }

 protected:
  Index fill(Index max_rows, PointBlock& block) override {
    const Index rows = std::min(max_rows, rows_.rows() - next_);
    block.is_sparse = false;
    block.dense = rows_.middleRows(next_, rows);
    next_ += rows;
    return rows;
  }

 private:
  const RowMatrix& rows_;
  Index next_ = 0;
};

bool recovers(const StreamProblem& problem, const StreamOptions& options,
              const PrivacyTarget& target, const RecordNorm& norm, int runs, int wanted) {
  int missed = 0;
  for (int run = 1; run <= runs && missed <= runs - wanted; ++run) {
    if (worst_cosine(problem, options, target, norm, static_cast<std::uint64_t>(run)) < 0.9) {
      ++missed;
    }
  }
  return missed <= runs - wanted;
}

}  // namespace

StreamProblem stream_problem(const PointModel& model) {
  SyntheticPoints points(model);
  PointBlock block;
  points.read(model.records, block);
  return {points.vectors(), std::move(block.dense)};
}

StreamOptions stream_options(const PointModel& model, const StreamChoice& choice) {
  StreamOptions options;
  options.components = model.components;
  options.method = choice.method;
  options.starts = choice.starts;
  options.iterations = choice.iterations;
  return options;
}

double worst_cosine(const StreamProblem& problem, const StreamOptions& options,
                    const PrivacyTarget& target, const RecordNorm& norm, std::uint64_t seed) {
  StreamTask task;
  task.stream = options;
  task.stream.seed = static_cast<std::int64_t>(seed);
  task.given = {true, true, true};
  task.privacy.epsilon = target.epsilon;
  task.privacy.delta = target.delta;
  task.privacy.accept_large_delta = true;  // one delta for every number of records
  task.privacy.insecure_seed = static_cast<std::int64_t>(seed);
  task.privacy.set_norm(norm);
  SensitivePoints points(std::make_unique<BorrowedRows>(problem.rows));
  const StreamResult result = run(std::move(points), task);
  const Matrix cosines = multiply_transposed(problem.vectors, result.found.vectors()).cwiseAbs();
  return cosines.rowwise().maxCoeff().minCoeff();
}

double needed_epsilon(const StreamProblem& problem, const StreamOptions& options, double delta,
                      const RecordNorm& norm, int runs, int wanted) {
  const auto enough = [&](double epsilon) {
    return recovers(problem, options, {epsilon, delta}, norm, runs, wanted);
  };
  double low = 1, high = 1;
  while (!enough(high)) {
    low = high;
    high *= 2;
    if (high > 64) return std::numeric_limits<double>::infinity();
  }
  if (low == high) {
    while (enough(low)) {
      high = low;
      low /= 2;
    }
  }
  while (high / low > 1.03) {
    const double middle = std::sqrt(low * high);
    (enough(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sotto
