// For tests: shards in this process, each with a source of its own, whose answers are joined in a
// random order.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "sotto/base/random.h"
#include "sotto/tensor/shards.h"

namespace sotto {

class LocalShards final : public Shards {
 public:
  // Shard number i + 1 answers by others[i].
  LocalShards(std::vector<AnswerQuestion> others, std::uint64_t seed)
      : others_(std::move(others)), random_(seed) {}

  Index count() const override { return std::ssize(others_) + 1; }
  std::string ask(const std::string& question, const AnswerQuestion& own) override {
    std::vector<std::string> answers = {own(question, 0)};
    for (Index i = 0; i < std::ssize(others_); ++i) {
      answers.push_back(others_[static_cast<std::size_t>(i)](question, i + 1));
      longest_ = std::max(longest_, answers.back().size());
    }
    while (answers.size() > 1) {
      const std::string first = take(answers), second = take(answers);
      answers.push_back(joined_answers(first, second));
    }
    return answers.front();
  }
  std::size_t longest() const { return longest_; }  // answer so far

 private:
  std::string take(std::vector<std::string>& answers) {
    const auto place = answers.begin() +
                       static_cast<Index>(random_.uniform() * static_cast<double>(answers.size()));
    std::string answer = std::move(*place);
    answers.erase(place);
    return answer;
  }

  std::vector<AnswerQuestion> others_;
  SeededRandom random_;
  std::size_t longest_ = 0;
};

}  // namespace sotto
