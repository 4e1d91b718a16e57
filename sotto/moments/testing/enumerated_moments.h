// The moments of a corpus written out token by token: the naive twin of the implicit forms.
#pragma once

#include <functional>
#include <vector>

#include "sotto/base/random.h"
#include "sotto/moments/document_moments.h"
#include "sotto/tensor/dense_tensor.h"

namespace sotto::testing {

// The words of document n, one a token.
inline std::vector<Index> tokens(const Corpus& corpus, Index n) {
  std::vector<Index> all;
  for (std::size_t e = 0; e < corpus.words_of(n).size(); ++e) {
    for (int c = 0; c < corpus.counts_of(n)[e]; ++c) all.push_back(corpus.words_of(n)[e]);
  }
  return all;
}

inline Vector enumerated_first(const Corpus& corpus, Index n) {
  Vector p = Vector::Zero(corpus.vocabulary_size);
  const auto t = tokens(corpus, n);
  for (const Index word : t) p[word] += 1.0 / double(t.size());
  return p;
}

inline Matrix enumerated_second(const Corpus& corpus, Index n) {
  Matrix p = Matrix::Zero(corpus.vocabulary_size, corpus.vocabulary_size);
  const auto t = tokens(corpus, n);
  const double l = double(t.size());
  for (std::size_t a = 0; a < t.size(); ++a) {
    for (std::size_t b = 0; b < t.size(); ++b) {
      if (a != b) p(t[a], t[b]) += 1 / (l * (l - 1));
    }
  }
  return p;
}

// Entries (i, j, k) at [i](j, k).
using Cube = std::vector<Matrix>;

inline Cube zero_cube(Index v) { return Cube(static_cast<std::size_t>(v), Matrix::Zero(v, v)); }

inline Cube enumerated_third(const Corpus& corpus, Index n) {
  Cube p = zero_cube(corpus.vocabulary_size);
  const auto t = tokens(corpus, n);
  const double l = double(t.size());
  for (std::size_t a = 0; a < t.size(); ++a) {
    for (std::size_t b = 0; b < t.size(); ++b) {
      for (std::size_t c = 0; c < t.size(); ++c) {
        if (a != b && a != c && b != c) p[t[a]](t[b], t[c]) += 1 / (l * (l - 1) * (l - 2));
      }
    }
  }
  return p;
}

// Documents of 3 to 9 tokens over V words, repeated words likely.
inline Corpus random_corpus(Index documents, Index v, std::uint64_t seed, int shortest = 3) {
  SeededRandom random(seed);
  Corpus corpus;
  corpus.vocabulary_size = v;
  corpus.vocabulary_is_declared = true;
  for (Index n = 0; n < documents; ++n) {
    std::vector<std::int32_t> counts(static_cast<std::size_t>(v), 0);
    const auto length = shortest + static_cast<int>(random.below(7));
    for (int t = 0; t < length; ++t) {
      const double u = random.uniform();
      ++counts[static_cast<std::size_t>(u * u * double(v))];
    }
    for (Index i = 0; i < v; ++i) {
      if (counts[i] == 0) continue;
      corpus.word.push_back(static_cast<std::int32_t>(i));
      corpus.count.push_back(counts[i]);
    }
    corpus.begin.push_back(static_cast<std::int64_t>(corpus.word.size()));
  }
  return corpus;
}

inline double frobenius(const Cube& cube) {
  double sum = 0;
  for (const Matrix& slice : cube) sum += slice.squaredNorm();
  return std::sqrt(sum);
}

// T(W,W,W) at (a, b, c), from the definition.
inline double transformed(const Cube& cube, const Matrix& w, Index a, Index b, Index c) {
  double sum = 0;
  for (std::size_t i = 0; i < cube.size(); ++i) {
    sum += w(Index(i), a) * w.col(b).dot(cube[i] * w.col(c));
  }
  return sum;
}

// Largest difference between a packed tensor and T(W,W,W).
inline double distance(const SymmetricTensor& found, const Cube& cube, const Matrix& w) {
  double worst = 0;
  for_unique_entries(found.dim(), 3, [&](const std::vector<Index>& i, double) {
    worst = std::max(worst, std::abs(found.at(i) - transformed(cube, w, i[0], i[1], i[2])));
  });
  return worst;
}

}  // namespace sotto::testing
