// The sums over records that answer the questions of a power method about their moment tensor.
//
//   PowerProducts: sum x^ (x^.u_l)^q, a d x L block,   PowerValues: sum (x^.u_l)^q, L numbers,
//
// where x^ = x min(1, B/|x|) is a record clipped to the ball of radius B; a record so long that its
// square overflows counts as zero. Without a bound x^ = x.
//
// Cost: 4 d L flops a record (2 d L for values). Privacy: none here; release/private_stream.md
// bounds the contributions and the rounding.
#pragma once

#include "sotto/moments/point_moments.h"
#include "sotto/tensor/record_sum.h"

namespace sotto {

// What both have in common. The powers are 2 to 4.
class PowerSum : public RecordSum {
 public:
  PowerSum(RowMatrix u, int power, double bound) : u_(std::move(u)), power_(power), bound_(bound) {}
  Index cols() const override { return u_.cols(); }

 protected:
  // (x^.u_l)^q for each record.
  RowMatrix powers(const PointBlock& block, const Vector& shrink) const;
  // min(1, B/|x|) of each record; empty without a bound.
  Vector shrink_of(const PointBlock& block) const;
  void write_numbers(ByteWriter& bytes) const;

  RowMatrix u_;
  int power_;
  double bound_;
};

class PowerProducts final : public PowerSum {
 public:
  explicit PowerProducts(RowMatrix u, int power, double bound = kNoBound)
      : PowerSum(std::move(u), power, bound) {}
  Index rows() const override { return u_.rows(); }
  void of_block(const PointBlock& block, RowMatrix& part) const override;
  void add_sparse(const PointBlock& block, const RowMatrix& part, RowMatrix& sum) const override;
  void write(ByteWriter& bytes) const override;
};

class PowerValues final : public PowerSum {
 public:
  explicit PowerValues(RowMatrix u, int power, double bound = kNoBound)
      : PowerSum(std::move(u), power, bound) {}
  Index rows() const override { return 1; }
  void of_block(const PointBlock& block, RowMatrix& part) const override;
  void write(ByteWriter& bytes) const override;
};

}  // namespace sotto
