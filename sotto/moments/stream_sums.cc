#include "sotto/moments/stream_sums.h"

#include <cmath>

#include "sotto/moments/record_questions.h"

namespace sotto {
namespace {

// t^power for power 2 to 4, entry by entry.
template <class Entries>
void raise(Entries&& t, int power) {
  if (power == 2) t = t.square();
  if (power == 3) t = t.cube();
  if (power == 4) t = t.square().square();
}

}  // namespace

Vector PowerSum::shrink_of(const PointBlock& block) const {
  if (bound_ == kNoBound) return {};
  return shrink_factors(squared_norms(block), bound_);
}

RowMatrix PowerSum::powers(const PointBlock& block, const Vector& shrink) const {
  RowMatrix s = scores(block, u_);
  for (Index i = 0; i < shrink.size(); ++i) {
    if (shrink[i] == 0) {
      s.row(i).setZero();  // 0 times an overflow would be no number
    } else {
      s.row(i) *= shrink[i];
    }
  }
  raise(s.array(), power_);
  return s;
}

void PowerSum::write_numbers(ByteWriter& bytes) const {
  bytes.integer(power_);
  bytes.real(bound_);
  write_matrix(u_, bytes);
}

// With x^ = r x the contribution x^ (x^.u)^q is x times r (r s)^q, s = x.u.
void PowerProducts::of_block(const PointBlock& block, RowMatrix& part) const {
  const Vector shrink = shrink_of(block);
  RowMatrix s = powers(block, shrink);
  if (shrink.size() > 0) s.array().colwise() *= shrink.array();
  if (block.is_sparse) {
    part = std::move(s);
  } else {
    part.setZero(u_.rows(), u_.cols());
    add_transposed_product(block, s, part);
  }
}

void PowerProducts::add_sparse(const PointBlock& block, const RowMatrix& part,
                               RowMatrix& sum) const {
  add_transposed_product(block, part, sum);
}

void PowerProducts::write(ByteWriter& bytes) const {
  write_kind(SumKind::power_products, bytes);
  write_numbers(bytes);
}

void PowerValues::of_block(const PointBlock& block, RowMatrix& part) const {
  part = powers(block, shrink_of(block)).colwise().sum();
}

void PowerValues::write(ByteWriter& bytes) const {
  write_kind(SumKind::power_values, bytes);
  write_numbers(bytes);
}

}  // namespace sotto
