#include "sotto/tensor/partial_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/tensor/testing/memory_source.h"

namespace sotto {
namespace {

PartialSum through_bytes(const PartialSum& part) {
  ByteWriter writer;
  part.write(writer);
  const std::string sealed = std::move(writer).sealed();
  ByteReader reader(sealed, "a part");
  return PartialSum::read(reader);
}

// Numbers of very different size: any other order of additions would show.
std::vector<RowMatrix> terms(Index pieces) {
  std::vector<RowMatrix> list;
  for (Index i = 0; i < pieces; ++i) {
    list.push_back(random_points(2, 3, static_cast<std::uint64_t>(i)) *
                   std::exp2(static_cast<double>(i * 7 % 40)));
  }
  return list;
}

TEST(PartialSum, has_the_same_bits_for_any_parts_in_any_order) {
  SeededRandom random(1);
  for (const Index pieces : {1, 2, 3, 7, 8, 37, 64}) {
    const std::vector<RowMatrix> list = terms(pieces);
    PartialSum whole(2, 3);
    for (Index i = 0; i < pieces; ++i) whole.add(i, list[static_cast<std::size_t>(i)]);
    RowMatrix naive = RowMatrix::Zero(2, 3);
    for (const RowMatrix& term : list) naive += term;
    EXPECT_LE((whole.total(pieces) - naive).norm(), 1e-12 * naive.norm() + 1e-3);
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<PartialSum> parts(5, PartialSum(2, 3, pieces));
      std::vector<Index> order(static_cast<std::size_t>(pieces));
      std::iota(order.begin(), order.end(), Index{0});
      for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.uniform() * double(i))]);
      }
      for (const Index i : order) {
        parts[static_cast<std::size_t>(random.uniform() * 5)].add(
            i, list[static_cast<std::size_t>(i)]);
      }
      PartialSum sum(2, 3, pieces);
      for (const PartialSum& part : parts) sum.join(through_bytes(part));
      EXPECT_EQ(sum.total(pieces), whole.total(pieces)) << pieces;
    }
  }
}

TEST(PartialSum, refuses_missing_and_repeated_pieces) {
  const std::vector<RowMatrix> list = terms(6);
  for (std::size_t left_out = 0; left_out < 6; ++left_out) {
    for (const Index known : {Index{6}, PartialSum::kUnknown}) {
      PartialSum part(2, 3, known);
      for (std::size_t i = 0; i < 6; ++i) {
        if (i != left_out) part.add(static_cast<Index>(i), list[i]);
      }
      EXPECT_THROW(part.total(6), Error) << left_out;
    }
  }
  PartialSum part(2, 3);
  part.add(5, list[0]);
  EXPECT_THROW(part.add(5, list[1]), Error);
  EXPECT_THROW(part.add(7, RowMatrix::Zero(3, 2)), Error);
  EXPECT_THROW(part.join(PartialSum(2, 3, 6)), Error);
}

}  // namespace
}  // namespace sotto
