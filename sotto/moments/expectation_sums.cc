#include "sotto/moments/expectation_sums.h"

#include <utility>

#include "sotto/base/error.h"
#include "sotto/moments/document_sums.h"
#include "sotto/moments/record_questions.h"
#include "sotto/moments/topic_expectation.h"

namespace sotto {
namespace {

void write_step(const TopicStep& step, ByteWriter& bytes) {
  write_matrix(step.topics, bytes);
  write_matrix(step.alpha, bytes);
  bytes.integer(step.rounds);
}

TopicStep read_step(ByteReader& bytes) {
  TopicStep step;
  step.topics = read_matrix(bytes);
  step.alpha = read_vector(bytes);
  step.rounds = static_cast<int>(bytes.integer());
  return step;
}

class ExpectationSteps final : public DocumentSum {
 public:
  explicit ExpectationSteps(std::vector<TopicStep> steps) : ExpectationSteps(std::move(steps), {}) {
    made_.emplace_back();
    for (const TopicStep& step : steps_) {
      ByteWriter bytes;
      bytes.text(made_.back());
      write_step(step, bytes);
      const std::string sealed = std::move(bytes).sealed();
      made_.push_back(sealed.substr(sealed.size() - sizeof(std::uint64_t)));
    }
  }
  static std::unique_ptr<DocumentSum> read(ByteReader& bytes) {
    std::vector<TopicStep> steps;
    std::vector<std::string> made = {""};
    for (Index left = bytes.integer(); left > 0; --left) {
      steps.push_back(read_step(bytes));
      made.push_back(bytes.text());
    }
    return std::unique_ptr<DocumentSum>(new ExpectationSteps(std::move(steps), std::move(made)));
  }
  Index rows() const override { return steps_.back().topics.rows(); }
  Index cols() const override { return steps_.back().topics.cols(); }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    const CountView view = piece.documents();
    std::size_t done = steps_.size() - 1;
    if (done == 0 || piece.steps_made != made_[done]) {
      piece.parameters = start_parameters(view, steps_.front().alpha);
      done = 0;
    }
    piece.steps_made.clear();  // until they are made
    for (; done < steps_.size(); ++done) {
      const TopicStep& step = steps_[done];
      improve_parameters(view, step.topics, step.alpha, step.rounds, piece.parameters);
    }
    piece.steps_made = made_.back();
    return expected_counts(piece.by_word(), steps_.back().topics,
                           expected_log_weights(piece.parameters), Vector::Ones(view.rows()));
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::expectation, bytes);
    bytes.integer(std::ssize(steps_));
    for (std::size_t n = 0; n < steps_.size(); ++n) {
      write_step(steps_[n], bytes);
      bytes.text(made_[n + 1]);
    }
  }

 private:
  ExpectationSteps(std::vector<TopicStep> steps, std::vector<std::string> made)
      : steps_(std::move(steps)), made_(std::move(made)) {
    SOTTO_REQUIRE(!steps_.empty(), "an expectation needs a step");
  }

  std::vector<TopicStep> steps_;
  // The first 0, 1, .. steps by the checksums that end their bytes, so that a piece knows which of
  // them it has made.
  std::vector<std::string> made_;
};

class SingleTopicSum final : public DocumentSum {
 public:
  SingleTopicSum(RowMatrix topics, Vector weights)
      : topics_(std::move(topics)), weights_(std::move(weights)) {}
  Index rows() const override { return topics_.rows(); }
  Index cols() const override { return topics_.cols(); }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    return multiply(piece.by_word(), responsibilities(piece.documents(), topics_, weights_));
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::single_topic, bytes);
    write_matrix(topics_, bytes);
    write_matrix(weights_, bytes);
  }

 private:
  RowMatrix topics_;
  Vector weights_;
};

class NormedSum final : public DocumentSum {
 public:
  explicit NormedSum(NormedStep step) : step_(std::move(step)) {}
  Index rows() const override { return step_.step.topics.rows(); }
  Index cols() const override { return step_.step.topics.cols(); }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    const CountView view = piece.documents();
    const auto& [topics, alpha, rounds] = step_.step;
    RowMatrix parameters = start_parameters(view, alpha);
    improve_parameters(view, topics, alpha, rounds, parameters);
    const RowMatrix weights = expected_log_weights(parameters);
    const Vector norms = contribution_norms(view, topics, weights, step_.word_scale);
    const Vector scale =
        norms.unaryExpr([&](double n) { return n >= step_.shortest ? 1 / n : 0.0; }) * step_.norm;
    return expected_counts(piece.by_word(), topics, weights, scale);
  }
  void write(ByteWriter& bytes) const override {
    write_sum_kind(DocumentSumKind::normed_expectation, bytes);
    write_step(step_.step, bytes);
    write_matrix(step_.word_scale, bytes);
    bytes.real(step_.norm);
    bytes.real(step_.shortest);
  }

 private:
  NormedStep step_;
};

class SharesRows final : public DocumentRows {
 public:
  explicit SharesRows(TopicShares shares) : shares_(std::move(shares)) {}
  Index cols() const override { return shares_.topics.cols(); }
  RowMatrix of_piece(const DocumentPiece& piece) const override {
    return topic_shares(piece.documents(), shares_);
  }
  void write(ByteWriter& bytes) const override {
    write_step({shares_.topics, shares_.alpha, shares_.rounds}, bytes);
    bytes.integer(static_cast<std::int64_t>(shares_.model));
  }

 private:
  TopicShares shares_;
};

}  // namespace

RowMatrix expected_counts(DocumentSource& documents, const std::vector<TopicStep>& steps) {
  return documents.sum(ExpectationSteps(steps));
}

RowMatrix single_topic_counts(DocumentSource& documents, const RowMatrix& topics,
                              const Vector& weights) {
  return documents.sum(SingleTopicSum(topics, weights));
}

RowMatrix normed_counts(DocumentSource& documents, const NormedStep& step) {
  return documents.sum(NormedSum(step));
}

RowMatrix topic_shares(DocumentSource& documents, const TopicShares& shares) {
  return documents.rows(SharesRows(shares));
}

RowMatrix topic_shares(const CountView& documents, const TopicShares& shares) {
  if (shares.model == DocumentModel::single) {
    return responsibilities(documents, shares.topics, shares.alpha);
  }
  RowMatrix parameters = start_parameters(documents, shares.alpha);
  improve_parameters(documents, shares.topics, shares.alpha, shares.rounds, parameters);
  return mean_proportions(parameters);
}

RowMatrix responsibilities(const CountView& documents, const RowMatrix& topics,
                           const Vector& weights) {
  const RowMatrix logs = topics.array().max(1e-300).log();
  RowMatrix r = multiply(documents, logs);
  r.rowwise() += weights.array().max(1e-300).log().matrix().transpose();
  for (Index n = 0; n < r.rows(); ++n) {
    r.row(n) = (r.row(n).array() - r.row(n).maxCoeff()).exp();
    r.row(n) /= r.row(n).sum();
  }
  return r;
}

std::unique_ptr<DocumentSum> read_expectation_steps(ByteReader& bytes) {
  return ExpectationSteps::read(bytes);
}

std::unique_ptr<DocumentSum> read_single_topic_sum(ByteReader& bytes) {
  RowMatrix topics = read_matrix(bytes);
  return std::make_unique<SingleTopicSum>(std::move(topics), read_vector(bytes));
}

std::unique_ptr<DocumentSum> read_normed_sum(ByteReader& bytes) {
  NormedStep step;
  step.step = read_step(bytes);
  step.word_scale = read_vector(bytes);
  step.norm = bytes.real();
  step.shortest = bytes.real();
  return std::make_unique<NormedSum>(std::move(step));
}

std::unique_ptr<DocumentRows> read_document_rows(ByteReader& bytes) {
  TopicStep step = read_step(bytes);
  const auto model = static_cast<DocumentModel>(bytes.integer());
  return std::make_unique<SharesRows>(
      TopicShares{std::move(step.topics), std::move(step.alpha), model, step.rounds});
}

}  // namespace sotto
