// The answer of a shard to a question, as bytes: a part, or what went wrong.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sotto/base/bytes.h"
#include "sotto/base/error.h"
#include "sotto/tensor/partial_lists.h"
#include "sotto/tensor/partial_sum.h"

namespace sotto {

// The first bytes of questions and answers. The version grows when their layout changes.
void write_mark(std::string_view mark, ByteWriter& bytes);
void require_mark(std::string_view mark, ByteReader& bytes);

// A fault between shards is not the fault of the input.
void require_whole(bool holds, const char* message);

// One of these four.
struct ShardAnswer {
  Index question = -1;  // none of an error before the question was understood
  std::optional<PartialSum> part;
  std::optional<PartialRows> rows;
  std::optional<PartialWords> words;
  std::optional<Error> error;

  std::string bytes() const;
  static ShardAnswer read(const std::string& text);
  // Of all shards, to this question; throws the error that one of them had.
  static ShardAnswer of(const std::string& text, Index question);
  void join(ShardAnswer&& other);
};

// The answer that `work` returns, or one that carries what it threw.
std::string answer_or_error(const std::function<std::string()>& work);

}  // namespace sotto
