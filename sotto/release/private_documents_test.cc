#include "sotto/release/private_documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/moments/testing/enumerated_moments.h"
#include "sotto/release/testing/ask_documents.h"

namespace sotto {
namespace {

using namespace sotto::testing;

// Noise of one seed cancels: two answers differ by the change of the value, up to the grid, which
// is far finer.
double change(const Corpus& a, const Corpus& b, Kind kind, const Question& question) {
  DocumentRun left(a), right(b);
  return (ask(left.documents, kind, question, 20).value -
          ask(right.documents, kind, question, 20).value)
      .norm();
}

Counts random_document(Index v, SeededRandom& random) {
  Counts counts(static_cast<std::size_t>(v), 0);
  const std::uint64_t length = random.below(12);
  const Index used = 1 + static_cast<Index>(random.below(static_cast<std::uint64_t>(v)));
  for (std::uint64_t t = 0; t < length; ++t) {
    ++counts[random.below(static_cast<std::uint64_t>(used))];
  }
  if (random.below(8) == 0) counts[0] = std::numeric_limits<std::int32_t>::max();
  return counts;
}

// The grid: a step is at most 2^-20 of the noise, which here is at most the sensitivity / 19.
constexpr double kGridSlack = 1e-6;

TEST_F(PrivateDocumentsTest, no_replaced_document_moves_a_release_by_more_than_the_sensitivity) {
  const Index v = 6, k = 3, n = 4;
  SeededRandom random(1);
  for (int trial = 0; trial < 150; ++trial) {
    const Question question = some_question(v, k, random);
    std::vector<Counts> documents;
    for (Index d = 0; d < n; ++d) documents.push_back(random_document(v, random));
    const Corpus corpus = corpus_of(documents);
    documents[random.below(n)] = random_document(v, random);
    for (const Kind kind : kKinds) {
      EXPECT_LE(change(corpus, corpus_of(documents), kind, question),
                kRoot2 / double(n) * (1 + kGridSlack))
          << int(kind);
    }
  }
}

// Climbs over pairs of documents, one count up or down at a time.
double largest_change(Kind kind, const Question& question, Index v, SeededRandom& random) {
  Counts a = random_document(v, random), b = random_document(v, random);
  a[0] = std::min(a[0], 9);
  b[0] = std::min(b[0], 9);
  double best = change(corpus_of({a}), corpus_of({b}), kind, question);
  for (int step = 0; step < 250; ++step) {
    Counts next_a = a, next_b = b;
    for (int moves = 0; moves < 2; ++moves) {
      auto& count = (random.below(2) ? next_a : next_b)[random.below(std::uint64_t(v))];
      count = random.below(3) == 0 ? 0 : std::max(0, count + (random.below(2) ? 1 : -1));
    }
    const double next = change(corpus_of({next_a}), corpus_of({next_b}), kind, question);
    if (next < best) continue;
    best = next;
    a = next_a;
    b = next_b;
  }
  return best;
}

TEST_F(PrivateDocumentsTest, the_worst_pairs_reach_the_sensitivity_and_do_not_pass_it) {
  const Index v = 5, k = 3;
  SeededRandom random(2);
  Question question = some_question(v, k, random);
  question.q = Matrix::Identity(v, k);
  for (const Kind kind : kKinds) {
    double best = 0;
    for (int start = 0; start < 4; ++start) {
      best = std::max(best, largest_change(kind, question, v, random));
    }
    EXPECT_LE(best, kRoot2 * (1 + kGridSlack)) << int(kind);
    EXPECT_GE(best, 0.999 * kRoot2) << int(kind);
  }
}

// Under weights by length the bound is the same: long documents of one word each reach it.
TEST_F(PrivateDocumentsTest, weights_by_length_keep_the_sensitivity) {
  const Index v = 6, k = 3, n = 4;
  SeededRandom random(8);
  for (const double f : {1.0, 0.15, 1e-3}) {
    for (int trial = 0; trial < 30; ++trial) {
      Question question = some_question(v, k, random);
      question.rule = by_length(f);
      std::vector<Counts> documents;
      for (Index d = 0; d < n; ++d) documents.push_back(random_document(v, random));
      const Corpus corpus = corpus_of(documents);
      documents[random.below(n)] = random_document(v, random);
      for (const Kind kind : {Kind::first, Kind::second, Kind::third}) {
        EXPECT_LE(change(corpus, corpus_of(documents), kind, question),
                  kRoot2 / double(n) * (1 + kGridSlack))
            << f << " " << int(kind);
      }
    }
    Question question = some_question(v, k, random);
    question.rule = by_length(f);
    question.q = Matrix::Identity(v, k);
    const std::int32_t longest = std::numeric_limits<std::int32_t>::max();
    for (const Kind kind : {Kind::first, Kind::second, Kind::third}) {
      EXPECT_GE(change(corpus_of({{longest, 0, 0, 0, 0, 0}}), corpus_of({{0, longest, 0, 0, 0, 0}}),
                       kind, question),
                0.999 * kRoot2)
          << f << " " << int(kind);
    }
  }
  Question question = some_question(v, k, random);
  DocumentRun run(corpus_of({{1, 2, 3, 0, 0, 0}}));
  EXPECT_THROW(run.documents.first_moment(by_length(1.5), 1), Error);
}

// Weights and topics near the end of the range of doubles: what is summed is still what was
// measured.
TEST_F(PrivateDocumentsTest, words_that_no_topic_can_produce_move_counts_no_further_than_others) {
  const Index v = 4, k = 2;
  SeededRandom random(3);
  Question question = some_question(v, k, random);
  for (const std::int32_t count : {1, 7, std::numeric_limits<std::int32_t>::max()}) {
    for (const double tiny : {0.0, 1e-323, 3e-323, 1e-322, 1e-320, 1e-310, 1e-303, 1e-300, 1e-251,
                              1e-250, 1e-249, 1e-200}) {
      question.topics.row(0) << tiny, tiny / 2;
      const Corpus usual = corpus_of({{0, 3, 0, 0}});
      EXPECT_LE(change(corpus_of({{count, 0, 0, 0}}), usual, Kind::counts, question),
                kRoot2 * (1 + kGridSlack))
          << tiny << " " << count;
      // Beside a word that topics do produce, it does not take the document out.
      const double both = change(corpus_of({{count, 0, 5, 0}}), usual, Kind::counts, question);
      EXPECT_LE(both, kRoot2 * (1 + kGridSlack)) << tiny << " " << count;
      EXPECT_GE(both, 1.001) << tiny << " " << count;
    }
  }
}

// Step 6 of the note: abs(c)^6 <= 36 (l)_3^2 abs(P3)^2, for every way to share up to 14 tokens.
TEST_F(PrivateDocumentsTest, counts_are_bounded_by_the_norm_of_the_third_moment) {
  double worst = 0;
  int partitions = 0;
  std::vector<std::int32_t> counts;
  const std::function<void(int, int)> visit = [&](int left, int largest) {
    const double l = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (l >= 3) {
      ++partitions;
      double square = 0;
      for (const double c : counts) square += c * c;
      const double t = std::pow(l * (l - 1) * (l - 2) * document_norms(counts).third, 2);
      worst = std::max(worst, square * square * square / t);
    }
    for (int c = 1; c <= std::min(left, largest); ++c) {
      counts.push_back(c);
      visit(left - c, c);
      counts.pop_back();
    }
  };
  visit(14, 14);
  EXPECT_EQ(partitions, 3 + 5 + 7 + 11 + 15 + 22 + 30 + 42 + 56 + 77 + 101 + 135);
  EXPECT_LE(worst, 36);
  EXPECT_GT(worst, 20);  // 3 of one word: 729/36
}

// All four releases; the questions of the later ones depend on the answers of the earlier ones.
std::tuple<std::vector<Vector>, Certificate> transcript(const Corpus& corpus) {
  DocumentRun run(corpus, 7, {2, 1e-6});
  SeededRandom random(4);
  Question question = some_question(corpus.vocabulary_size, 3, random);
  std::vector<Vector> answers;
  const auto first = run.documents.first_moment(0, 0.1).value();
  answers.push_back(first.value);
  question.word_scale = first.value.cwiseMax(first.deviation).cwiseInverse();
  std::vector<std::int32_t> kept;
  for (std::int32_t w = 0; w < 5; ++w) kept.push_back(w);
  run.documents.keep_words(kept);
  const auto second = run.documents.second_moment(0, 0.1).value();
  answers.push_back(isometric(second.value));
  question.q = leading_eigenpairs(second.value, 3).vectors;
  answers.push_back(ask(run.documents, Kind::third, question, 0.1).value);
  run.documents.keep_words({});
  answers.push_back(ask(run.documents, Kind::counts, question, 0.1).value);
  return {answers, run.run.certify()};
}

TEST_F(PrivateDocumentsTest, neighbours_take_the_same_steps) {
  const Index v = 8, n = 30;
  Corpus corpus = random_corpus(n, v, 5);
  const auto [answers, certificate] = transcript(corpus);
  std::vector<Counts> documents;
  for (Index d = 0; d < n; ++d) {
    Counts counts(v, 0);
    for (std::size_t e = 0; e < corpus.words_of(d).size(); ++e) {
      counts[corpus.words_of(d)[e]] = corpus.counts_of(d)[e];
    }
    documents.push_back(counts);
  }
  constexpr std::int32_t huge = std::numeric_limits<std::int32_t>::max();
  for (const Counts& other :
       {Counts(v, 0), Counts{1, 0, 0, 0, 0, 0, 0, 0}, Counts{0, 0, 0, 0, 0, 0, 0, 2},
        Counts(v, huge), Counts{huge, 0, 0, 0, 0, 0, 0, 1}}) {
    std::vector<Counts> replaced = documents;
    replaced[11] = other;
    const auto [other_answers, other_certificate] = transcript(corpus_of(replaced));
    ASSERT_EQ(other_certificate.releases.size(), certificate.releases.size());
    for (std::size_t r = 0; r < certificate.releases.size(); ++r) {
      const ReleaseRecord& here = certificate.releases[r].record;
      const ReleaseRecord& there = other_certificate.releases[r].record;
      EXPECT_EQ(std::tie(here.what, here.mechanism, here.sensitivity, here.noise, here.count,
                         here.note, here.values),
                std::tie(there.what, there.mechanism, there.sensitivity, there.noise, there.count,
                         there.note, there.values));
      EXPECT_EQ(answers[r].size(), other_answers[r].size());
      EXPECT_TRUE(other_answers[r].allFinite());
      EXPECT_NE(answers[r], other_answers[r]);
    }
    // The first two questions are the same for both, so the answers differ by at most the
    // sensitivity.
    for (const std::size_t r : {0, 1}) {
      EXPECT_LE((answers[r] - other_answers[r]).norm(), kRoot2 / double(n) * (1 + kGridSlack));
    }
    EXPECT_EQ(certificate.epsilon, other_certificate.epsilon);
  }
}

TEST_F(PrivateDocumentsTest, records_suffice_to_compute_the_cost_again) {
  const Index n = 20;
  SeededRandom random(11);
  const Question question = some_question(7, 3, random);
  DocumentRun run(random_corpus(n, 7, 12, 1), 1, {3, 1e-6});
  const std::vector<double> asked = {0.2, 0.3, 0.1, 0.25};
  double square = 0;
  for (const Kind kind : kKinds) ask(run.documents, kind, question, asked[std::size_t(kind)]);
  for (std::size_t r = 0; r < 4; ++r) {
    const ReleaseRecord record = run.record(r);
    const double mu = std::get<GaussianCost>(record.cost).mu;
    EXPECT_NEAR(record.sensitivity / record.noise, mu, 1e-12 * mu);
    EXPECT_LE(mu, asked[r]);
    EXPECT_GT(mu, asked[r] * (1 - 1e-9));
    EXPECT_GE(record.sensitivity, kRoot2 / double(n));
    EXPECT_LT(record.sensitivity, kRoot2 / double(n) * (1 + 1e-5));
    square += mu * mu;
  }
  const double before = Budget::gaussian(3, 1e-6).gaussian_left();
  EXPECT_NEAR(std::pow(run.run.mu_left(), 2), before * before - square, 1e-9);
}

TEST_F(PrivateDocumentsTest, an_exhausted_budget_refuses_and_draws_nothing) {
  const Corpus corpus = random_corpus(20, 7, 13, 1);
  SeededRandom random(14);
  const Question question = some_question(7, 3, random);
  const double all = Budget::gaussian(1, 1e-6).gaussian_left();
  for (const Kind kind : kKinds) {
    DocumentRun run(corpus, 3, {1, 1e-6}), patient(corpus, 3, {1, 1e-6});
    for (DocumentRun* each : {&run, &patient}) ask(each->documents, kind, question, 0.9 * all);
    EXPECT_THROW(ask(run.documents, kind, question, 0.5 * all), Error);
    EXPECT_EQ(run.run.certify().releases.size(), 1u);
    EXPECT_EQ(run.run.mu_left(), patient.run.mu_left());
    // The refused release took no stream of noise: the next is that of a run which never asked.
    EXPECT_EQ(ask(run.documents, kind, question, 0.2 * all).value,
              ask(patient.documents, kind, question, 0.2 * all).value);
    EXPECT_THROW(ask(run.documents, kind, question, 0.5 * all), Error);
  }
}

TEST_F(PrivateDocumentsTest, only_the_words_kept_count) {
  const Index v = 9, k = 3;
  const Corpus corpus = random_corpus(15, v, 15, 1);
  const std::vector<std::int32_t> kept = {7, 2, 0, 4, 8};
  SeededRandom random(16);
  const Question question = some_question(std::ssize(kept), k, random);
  const Question whole = some_question(v, k, random);
  for (const Kind kind : kKinds) {
    DocumentRun run(corpus), other(restrict_vocabulary(corpus, kept));
    run.documents.keep_words(kept);
    EXPECT_EQ(ask(run.documents, kind, question, 1).value,
              ask(other.documents, kind, question, 1).value);
    run.documents.keep_words({});  // all of them again, not those left
    DocumentRun fresh(corpus, 2);
    const Vector exact = exact_value(corpus, kind, whole);
    const Noisy<Vector> again = ask(run.documents, kind, whole, 20);
    EXPECT_LT((again.value - exact).norm(), 6 * again.deviation * std::sqrt(double(exact.size())));
  }
  DocumentRun run(corpus);
  EXPECT_THROW(run.documents.keep_words({1, 1}), Error);
  EXPECT_THROW(run.documents.keep_words({9}), Error);
}

TEST_F(PrivateDocumentsTest, documents_too_short_for_a_moment_contribute_zero) {
  SeededRandom random(17);
  const Question question = some_question(3, 2, random);
  const Counts none = {0, 0, 0}, one = {1, 0, 0}, two = {1, 0, 1}, three = {1, 1, 1};
  const auto moves = [&](const Counts& document, Kind kind) {
    return change(corpus_of({document, three}), corpus_of({none, three}), kind, question) > 1e-3;
  };
  EXPECT_FALSE(moves(none, Kind::first));
  EXPECT_TRUE(moves(one, Kind::first));
  EXPECT_FALSE(moves(one, Kind::second));
  EXPECT_TRUE(moves(two, Kind::second));
  EXPECT_FALSE(moves(two, Kind::third));
  EXPECT_TRUE(moves(three, Kind::third));
  EXPECT_TRUE(moves(one, Kind::counts));
}

TEST_F(PrivateDocumentsTest, refuses_what_it_cannot_promise) {
  Corpus corpus = random_corpus(5, 4, 18);
  corpus.vocabulary_is_declared = false;
  EXPECT_EQ(public_shape(Sensitive<Corpus>(Corpus(corpus))).words, 0);
  EXPECT_THROW(DocumentRun run(corpus), Error);
  corpus.vocabulary_is_declared = true;
  const PublicCorpusShape shape = public_shape(Sensitive<Corpus>(Corpus(corpus)));
  EXPECT_EQ(shape.documents, 5);
  EXPECT_EQ(shape.words, 4);
  DocumentRun run(corpus);
  EXPECT_THROW(run.documents.third_moment(1.001 * Matrix::Identity(4, 2), 0, 1), Error);
  Matrix skew = Matrix::Identity(4, 2);
  skew(0, 1) = 1e-9;
  EXPECT_THROW(run.documents.third_moment(skew, 0, 1), Error);
  // Negative shares would reach twice the norm instead of its sqrt(2)-fold.
  SeededRandom random(20);
  const Question good = some_question(4, 2, random);
  for (int wrong = 0; wrong < 8; ++wrong) {
    Question question = good;
    if (wrong == 0) question.topics(1, 1) *= -1;
    if (wrong == 1) question.topics(1, 1) = std::nan("");
    if (wrong == 2) question.word_scale[2] = -1;
    if (wrong == 3) question.word_scale[2] = std::numeric_limits<double>::infinity();
    if (wrong == 4) question.word_scale = Vector::Ones(3);
    if (wrong == 5) question.alpha[0] = 0;
    if (wrong == 6) question.alpha = Vector::Ones(3);
    if (wrong == 7) question.topics = RowMatrix::Constant(5, 2, 0.2);
    EXPECT_THROW(ask(run.documents, Kind::counts, question, 1), Error) << wrong;
  }
  EXPECT_EQ(run.run.certify().releases.size(), 0u);
  EXPECT_FALSE(run.run.certify().proved);  // an insecure seed
  Corpus nothing;
  nothing.vocabulary_size = 4;
  EXPECT_THROW(DocumentRun{nothing}, Error);
}

}  // namespace
}  // namespace sotto
