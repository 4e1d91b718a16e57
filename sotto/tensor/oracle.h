// The oracle: what a power method may ask about a tensor.
//
// A solver only ever asks for products of the tensor with a block of vectors. So anything that can
// answer can be decomposed: a packed tensor, a stream of records, whitened moments, exactly or with
// noise. A privacy argument never depends on what the solver does with the answers. The calls are
// not const: an answer may cost something.
#pragma once

#include <vector>

#include "sotto/linalg/matrix.h"

namespace sotto {

// A symmetric tensor T of order p in d dimensions.
class SymmetricOracle {
 public:
  virtual ~SymmetricOracle() = default;
  virtual Index dim() const = 0;
  virtual int order() const = 0;

  // [T(I, u_l, .., u_l)] for the columns u_l of the block: d x L.
  virtual Matrix contract(const Matrix& block) = 0;
  // [T(u_l, .., u_l)]: L numbers.
  virtual Vector values(const Matrix& block) = 0;
};

// A tensor without symmetry, d_1 x .. x d_p. A block is one d_m x L matrix for each mode.
class ModeOracle {
 public:
  virtual ~ModeOracle() = default;
  virtual const std::vector<Index>& dims() const = 0;

  // Contracts every mode but one: d_mode x L. Does not read the factor of `mode` itself.
  virtual Matrix contract_all_but(int mode, const std::vector<Matrix>& factors) = 0;
  // Contracts all modes: L numbers.
  virtual Vector values(const std::vector<Matrix>& factors) = 0;
};

// u_l . y_l for each column: turns contract() into values(). Not inline: compiled into two callers
// it may round differently, and oracles over one tensor answer with the same bits.
Vector column_dots(const Matrix& u, const Matrix& y);

}  // namespace sotto
