// Every release of every run passes through here last. The library passes it on unchanged.
//
// The program tests/tape defines its own tap(), which the linker takes in place of tap.cc. It
// records what one run releases and gives it to a run over other data, whose outputs must then be
// the same to the last byte (docs/testing.md). tap.cc is compiled by itself and holds only this
// symbol, so that it can be left out. The released program has the empty function and no way to
// switch to another.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sotto/privacy/release_record.h"

namespace sotto {

struct WeightedWord {
  std::string word;
  double weight;
};

// What a release shows: a block of numbers, one number that was chosen, or a set of words.
using ReleaseContents = std::variant<std::span<double>, std::vector<WeightedWord>*>;

inline ReleaseContents contents_of(std::span<double> block) { return block; }
inline ReleaseContents contents_of(double& number) { return std::span<double>(&number, 1); }
inline ReleaseContents contents_of(std::vector<WeightedWord>& words) { return &words; }

[[gnu::visibility("hidden")]] void tap(const ReleaseRecord& record, ReleaseContents contents);

}  // namespace sotto
