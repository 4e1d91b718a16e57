#include "sotto/io/text_corpus.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/parse_number.h"
#include "sotto/io/tokens.h"

namespace sotto {
namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

constexpr std::int32_t kIgnored = -1;

class TextReader {
 public:
  TextReader(std::span<const std::string> vocabulary, const TextRules& rules)
      : rules_(rules), fixed_(!vocabulary.empty()) {
    for (std::size_t i = 0; i < vocabulary.size(); ++i) {
      const bool is_new =
          number_.emplace(folded(vocabulary[i]), static_cast<std::int32_t>(i)).second;
      SOTTO_REQUIRE_AT(is_new, "`vocab`", "the word {} appears in the vocabulary twice{}",
                       printable(vocabulary[i]), rules.lower ? " (case makes no difference)" : "");
    }
    for (const std::string& word : rules.stop_words) number_[folded(word)] = kIgnored;
    corpus_.vocabulary.assign(vocabulary.begin(), vocabulary.end());
  }

  Corpus read(const NextText& next) {
    for (std::string_view line; next(line);) {
      document_.clear();
      if (fixed_) {
        find_words(line);
      } else {
        number_tokens(line);
      }
      store_document();
    }
    corpus_.vocabulary_size = std::ssize(corpus_.vocabulary);
    return std::move(corpus_);
  }

 private:
  std::string folded(std::string_view word) const {
    return rules_.lower ? lower_case(word) : std::string(word);
  }

  // Whether the word is known; counts it then, unless it is to be ignored.
  bool count(std::string_view word) {
    const auto found = number_.find(word);
    if (found == number_.end()) return false;
    if (found->second != kIgnored) document_.push_back(found->second);
    return true;
  }

  void find_words(std::string_view line) {
    for (auto word = take_word(line); !word.empty(); word = take_word(line)) {
      token_ = folded(word);
      if (count(token_)) continue;
      for (Tokens tokens(word, rules_.lower); tokens.next(token_);) count(token_);
    }
  }

  void number_tokens(std::string_view line) {
    for (Tokens tokens(line, rules_.lower); tokens.next(token_);) {
      if (tokens.length() < rules_.min_length || count(token_)) continue;
      const auto number = static_cast<std::int32_t>(corpus_.vocabulary.size());
      number_.emplace(token_, number);
      corpus_.vocabulary.push_back(token_);
      document_.push_back(number);
    }
  }

  void store_document() {
    std::sort(document_.begin(), document_.end());
    for (auto at = document_.begin(); at != document_.end();) {
      const auto end = std::find_if(at, document_.end(), [&](auto word) { return word != *at; });
      corpus_.word.push_back(*at);
      corpus_.count.push_back(static_cast<std::int32_t>(end - at));
      at = end;
    }
    corpus_.begin.push_back(std::ssize(corpus_.word));
  }

  const TextRules& rules_;
  bool fixed_;  // by a vocabulary
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> number_;
  Corpus corpus_;
  std::vector<std::int32_t> document_;  // the words of one, each as often as it stands there
  std::string token_;
};

}  // namespace

Corpus by_frequency(Corpus corpus) {
  const std::vector<std::int64_t> frequency = word_frequency(corpus);
  std::vector<std::int32_t> order(frequency.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    if (frequency[i] != frequency[j]) return frequency[i] > frequency[j];
    return corpus.vocabulary[i] < corpus.vocabulary[j];
  });
  return restrict_vocabulary(std::move(corpus), order);
}

void refuse_counting_line(Index claimed, Index documents, const std::string& path) {
  SOTTO_REQUIRE_AT(documents <= 1 || claimed != documents - 1, path,
                   "the first line is the number of those that follow: `header` yes leaves it out, "
                   "`header` no reads it as a document");
}

Corpus read_text_as_found(const NextText& next, std::span<const std::string> vocabulary,
                          const TextRules& rules) {
  return TextReader(vocabulary, rules).read(next);
}

Corpus read_text_corpus(const NextText& next, std::span<const std::string> vocabulary,
                        const TextRules& rules) {
  Corpus corpus = read_text_as_found(next, vocabulary, rules);
  return vocabulary.empty() ? by_frequency(std::move(corpus)) : corpus;
}

Corpus read_text_lines(ByteSource& bytes, FirstLine first, std::span<const std::string> vocabulary,
                       const TextRules& rules) {
  LineReader lines(bytes, LineReader::longest_document, LongLines::cut);
  std::string_view header;
  if (first == FirstLine::header) lines.next(header);
  Index claimed = -1;
  const NextText next = [&](std::string_view& text) {
    const bool there = lines.next(text);
    if (there && lines.number() == 1) is_whole(trimmed(text), claimed);
    return there;
  };
  Corpus corpus = read_text_corpus(next, vocabulary, rules);
  if (first == FirstLine::guarded) {
    refuse_counting_line(claimed, corpus.documents(), bytes.path());
  }
  return corpus;
}

}  // namespace sotto
