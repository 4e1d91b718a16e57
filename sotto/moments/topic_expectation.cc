#include "sotto/moments/topic_expectation.h"

#include <cmath>
#include <functional>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/moments/by_halves.h"
#include "sotto/moments/exp_digamma.h"

namespace sotto {
namespace {

constexpr int kDocumentsAtATime = 64;

// A word whose weight is below this in every topic counts for nothing. Above it, shares have their
// full relative precision: products that underflow are negligible against it.
constexpr double kSmallestTotal = 1e-100;

double over_total(double count, double total) {
  return total >= kSmallestTotal ? count / total : 0.0;
}

// count / sum_t weight_t topic_t. Never inlined, so that all callers get the same bits: the norm
// and the sum leave out the same words.
[[gnu::noinline]] double per_share(double count, const double* weights, const double* topics,
                                   Index k) {
  using Row = Eigen::Map<const Eigen::VectorXd>;
  return over_total(count, Row(weights, k).dot(Row(topics, k)));
}

}  // namespace

RowMatrix start_parameters(const CountView& documents, const Vector& alpha) {
  RowMatrix parameters(documents.rows(), alpha.size());
  for (Index n = 0; n < documents.rows(); ++n) {
    double length = 0;
    for (std::int64_t e = documents.begin[n]; e < documents.begin[n + 1]; ++e) {
      length += documents.count[e];
    }
    parameters.row(n) = alpha.transpose().array() + length / static_cast<double>(alpha.size());
  }
  return parameters;
}

void improve_parameters(const CountView& documents, const RowMatrix& topics, const Vector& alpha,
                        int rounds, RowMatrix& parameters) {
  const Index k = topics.cols();
  SOTTO_REQUIRE(documents.cols == topics.rows() && alpha.size() == k && parameters.cols() == k &&
                    parameters.rows() == documents.rows(),
                "{} topics over {} words, documents over {}", k, topics.rows(), documents.cols);
  struct Work {
    RowMatrix rows;  // the topics at the words of one document, next to each other
    Eigen::RowVectorXd weight, sum;
  };
  const auto improve = [&](Work& work, Index n) {
    auto& [rows, weight, sum] = work;
    const std::int64_t first = documents.begin[n];
    const Index words = documents.begin[n + 1] - first;
    rows.resize(words, k);
    for (Index e = 0; e < words; ++e) rows.row(e) = topics.row(documents.column[first + e]);
    for (int round = 0; round < rounds; ++round) {
      exp_digamma(&parameters(n, 0), k, weight.data());
      sum.setZero();
      for (Index e = 0; e < words; ++e) {
        const double scale = over_total(documents.count[first + e], weight.dot(rows.row(e)));
        sum.noalias() += scale * rows.row(e);
      }
      parameters.row(n) = alpha.transpose() + weight.cwiseProduct(sum);
    }
  };
  parallel_for_with(
      documents.rows(), {kDocumentsAtATime},
      [&] {
        return Work{{}, Eigen::RowVectorXd(k), Eigen::RowVectorXd(k)};
      },
      improve);
}

RowMatrix expected_log_weights(const RowMatrix& parameters) {
  RowMatrix weights(parameters.rows(), parameters.cols());
  parallel_for(weights.rows(), {0},
               [&](Index n) { exp_digamma(&parameters(n, 0), weights.cols(), &weights(n, 0)); });
  return weights;
}

RowMatrix mean_proportions(const RowMatrix& parameters) {
  return parameters.array().colwise() / parameters.rowwise().sum().array();
}

RowMatrix expected_counts(const CountView& by_word, const RowMatrix& topics,
                          const RowMatrix& weights, const Vector& scale) {
  SOTTO_REQUIRE(by_word.rows() == topics.rows() && by_word.cols == weights.rows() &&
                    scale.size() == weights.rows(),
                "{} words and {} documents, topics over {} words", by_word.rows(), by_word.cols,
                topics.rows());
  RowMatrix counts = RowMatrix::Zero(topics.rows(), topics.cols());
  const auto count = [&](Eigen::RowVectorXd& piece, Index w) {
    for_pieces(by_word.begin[w], by_word.begin[w + 1], [&](std::int64_t first, std::int64_t last) {
      piece.setZero();
      for (std::int64_t e = first; e < last; ++e) {
        const Index n = by_word.column[e];
        const double share =
            per_share(by_word.count[e], weights.row(n).data(), topics.row(w).data(), topics.cols());
        piece.noalias() += (scale[n] * share) * weights.row(n);
      }
      counts.row(w) += piece;
    });
    counts.row(w).array() *= topics.row(w).array();
  };
  parallel_for_with(
      by_word.rows(), {kDocumentsAtATime}, [&] { return Eigen::RowVectorXd(topics.cols()); },
      count);
  return counts;
}

Vector contribution_norms(const CountView& documents, const RowMatrix& topics,
                          const RowMatrix& weights, const Vector& word_scale) {
  Vector norms(documents.rows());
  parallel_for(documents.rows(), {kDocumentsAtATime}, [&](Index n) {
    const auto squares = [&](std::int64_t first, std::int64_t last) {
      double square = 0;
      for (std::int64_t e = first; e < last; ++e) {
        const Index w = documents.column[e];
        const double share = per_share(documents.count[e], weights.row(n).data(),
                                       topics.row(w).data(), topics.cols());
        const double scaled = word_scale[w] * share;
        square += (scaled * weights.row(n)).cwiseProduct(topics.row(w)).squaredNorm();
      }
      return square;
    };
    norms[n] =
        std::sqrt(by_halves(documents.begin[n], documents.begin[n + 1], squares, std::plus<>()));
  });
  return norms;
}

}  // namespace sotto
