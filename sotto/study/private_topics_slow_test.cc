// What private single-topic models must achieve beside the published ones: the experiment of Imtiaz
// & Sarwate 2018, delta 1e-5. Every mean is over draws of both the topics and the noise.
#include "sotto/study/private_topics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "sotto/study/private_recovery.h"

namespace sotto {
namespace {

constexpr double kDelta = 1e-5;

struct Row {
  Index words, topics, documents;
  double epsilon;
  double strict;  // the most its mean error may be
};

std::vector<TopicProblem> problems(const Row& row, int count) {
  std::vector<TopicProblem> all;
  for (int seed = 1; seed <= count; ++seed) {
    all.push_back(three_word_problem(row.words, row.topics, row.documents, seed));
  }
  return all;
}

using Method = std::function<double(const TopicProblem&, const PrivacyTarget&, std::uint64_t)>;

Method published(PublishedTopics method) {
  return [method](const TopicProblem& problem, const PrivacyTarget& target, std::uint64_t seed) {
    return published_topic_error(problem, method, target, seed);
  };
}

ErrorAt over(const std::vector<TopicProblem>& all, const Method& method) {
  return [&all, method](double epsilon, std::uint64_t seed) {
    return method(all[(seed - 1) % all.size()], {epsilon, kDelta}, seed);
  };
}

TEST(PrivateTopics, errors_are_those_of_the_table) {
  for (const Row& row : {Row{10, 5, 100000, 0.1, 0.06}, Row{50, 10, 100000, 1, 0.025},
                         Row{50, 10, 1000000, 0.1, 0.018}}) {
    const int count = row.documents > 100000 ? 4 : 10;
    const auto all = problems(row, count);
    const auto mean = [&](const Method& method) {
      return mean_error(over(all, method), row.epsilon, count);
    };
    const double strict = mean(strict_topic_error);
    const double agn = mean(published(PublishedTopics::agn)),
                 avn = mean(published(PublishedTopics::avn));
    const double exact = mean([](const auto& problem, const auto&, std::uint64_t seed) {
      return exact_topic_error(problem, seed);
    });
    const double random = mean([](const auto& problem, const auto&, std::uint64_t seed) {
      return random_topic_error(problem, seed);
    });
    EXPECT_LE(strict, row.strict);
    EXPECT_LT(exact, strict);
    EXPECT_LT(3 * strict, agn);
    EXPECT_LT(agn, avn);
    EXPECT_LT(avn, random);
    RecordProperty(fmt::format("row_{}_{}_{}", row.words, row.documents, row.epsilon),
                   fmt::format("agn {:.3f} avn {:.3f} strict {:.3f} exact {:.3f} random {:.3f}",
                               agn, avn, strict, exact, random));
  }
}

// Where the noise hides all topics, frequencies are the best answer, and strict, which pays for
// more than these, may be a tenth worse. Topics fitted to noise are half as bad again.
TEST(PrivateTopics, strict_is_no_worse_than_frequencies_where_nothing_stands_out) {
  for (const Row& row : {Row{50, 10, 3000, 1, 0}, Row{50, 10, 100000, 0.02, 0}}) {
    const auto all = problems(row, 10);
    const double strict = mean_error(over(all, strict_topic_error), row.epsilon, 10),
                 frequencies = mean_error(over(all, frequency_topic_error), row.epsilon, 10);
    EXPECT_LT(strict, 1.1 * frequencies) << row.epsilon;
    RecordProperty(fmt::format("nothing_{}", row.documents),
                   fmt::format("strict {:.3f} frequencies {:.3f}", strict, frequencies));
  }
}

// AGN with its own recovery. Release and recovery both contribute to the difference: at goals of
// 0.1, 0.05 and 0.025 AGN needs about 4 times the epsilon when neither is fitted to its moments
// (moment_fit.h), and about 3 times when both are.
TEST(PrivateTopics, strict_needs_a_sixth_of_the_epsilon_of_agn) {
  const auto all = problems({50, 10, 100000, 1, 0}, 4);
  const ErrorAt strict = over(all, strict_topic_error),
                agn = over(all, published(PublishedTopics::agn));
  for (const double goal : {0.1, 0.05, 0.025}) {
    const double few = needed_epsilon(strict, 4, goal), many = needed_epsilon(agn, 4, goal);
    EXPECT_GE(many, 6 * few) << goal;
    RecordProperty(fmt::format("epsilon_for_{}", goal), fmt::format("{:.3f} {:.3f}", few, many));
  }
}

// What Imtiaz & Sarwate saw: noise in every iteration is worse than noise on the moments.
TEST(PrivateTopics, the_private_power_method_is_worse_than_noise_on_the_moments) {
  const auto all = problems({10, 5, 100000, 1, 0}, 5);
  EXPECT_LT(2 * mean_error(over(all, published(PublishedTopics::agn)), 1, 5),
            mean_error(over(all, published(PublishedTopics::dp_tpm)), 1, 5));
}

// Esmaeili & Huang 2018 expect the reverse (their Remarks 5.1 and 5.2): the noise of configurations
// 3 and 4 grows with one over the gaps between the topics' eigenvalues, which here are small.
TEST(PrivateTopics, noise_on_the_moments_is_the_best_of_the_four_configurations) {
  const auto all = problems({10, 5, 100000, 10, 0}, 4);
  const auto mean = [&](PublishedTopics method) {
    return mean_error(over(all, published(method)), 10, 4);
  };
  const double first = mean(PublishedTopics::esmaeili_1),
               second = mean(PublishedTopics::esmaeili_2);
  EXPECT_LT(2 * first, second);
  EXPECT_LT(second, mean(PublishedTopics::esmaeili_3));
  EXPECT_LT(second, mean(PublishedTopics::esmaeili_4));
  EXPECT_LT(mean_error(over(all, strict_topic_error), 10, 4), 1.1 * first);
}

}  // namespace
}  // namespace sotto
