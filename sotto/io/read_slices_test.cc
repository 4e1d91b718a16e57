#include "sotto/io/read_slices.h"

#include <gtest/gtest.h>

#include <limits>

#include "sotto/base/random.h"
#include "sotto/io/npy.h"
#include "sotto/io/testing/test_files.h"

namespace sotto {
namespace {

DenseTensor drawn_symmetric(Index dim, int order) {
  SeededRandom random(8);
  SymmetricTensor tensor(dim, order);
  for (double& x : tensor.packed()) x = random.normal();
  return tensor.to_dense();
}

std::pair<Index, Index> some_chunks(const SymmetricTensor& tensor, Index shard, Index shards) {
  TensorQuestion question;
  question.dim = tensor.dim();
  question.order = tensor.order();
  question.shards = shards;
  return chunks_of_shard(question, shard);
}

TEST(ReadSlices, parts_are_those_of_the_whole_tensor) {
  const TemporaryFolder folder;
  for (const auto& [dim, order] : {std::pair(40, 3), {25, 4}, {3, 3}}) {
    const DenseTensor dense = drawn_symmetric(dim, order);
    write_npy(folder / "t.npy", dense);
    EXPECT_EQ(sliceable_dims(folder / "t.npy"), dense.dims());
    const SymmetricTensor whole = SymmetricTensor::from_dense(dense);
    std::vector<double> read;
    double largest = 0;
    for (Index shard = 0; shard < 3; ++shard) {
      HeldSlices held(dim, order, some_chunks(whole, shard, 3));
      read_slices(folder / "t.npy", held);
      EXPECT_EQ(held.symmetry.worst, 0);
      largest = std::max(largest, held.symmetry.largest);
      read.insert(read.end(), held.packed.begin(), held.packed.end());
    }
    EXPECT_TRUE(std::equal(read.begin(), read.end(), whole.packed().begin(), whole.packed().end()));
    double expected = 0;
    for (const double x : dense.values()) expected = std::max(expected, std::abs(x));
    EXPECT_EQ(largest, expected);
  }
}

// One entry off its place is found by the shard of its smallest index, in whatever order it stands.
TEST(ReadSlices, every_asymmetry_is_found_by_one_shard) {
  const TemporaryFolder folder;
  SeededRandom random(2);
  const DenseTensor dense = drawn_symmetric(26, 3);
  const SymmetricTensor whole = SymmetricTensor::from_dense(dense);
  for (int trial = 0; trial < 20; ++trial) {
    DenseTensor other = dense;
    const auto place = static_cast<std::size_t>(random.below(26 * 26 * 26));
    std::vector<Index> sorted = other.index_of(static_cast<Index>(place));
    if (sorted[0] == sorted[1] && sorted[1] == sorted[2]) continue;
    std::sort(sorted.begin(), sorted.end());
    other.values()[place] += 3;
    write_npy(folder / "t.npy", other);
    int found = 0;
    for (Index shard = 0; shard < 2; ++shard) {
      HeldSlices held(26, 3, some_chunks(whole, shard, 2));
      read_slices(folder / "t.npy", held);
      if (held.symmetry.worst == 0) continue;
      ++found;
      EXPECT_EQ(held.symmetry.worst, other.max_asymmetry().value);
      EXPECT_EQ(held.symmetry.sorted, sorted);
    }
    EXPECT_EQ(found, 1);
  }
}

TEST(ReadSlices, refuses_what_is_no_tensor_of_finite_numbers) {
  const TemporaryFolder folder;
  DenseTensor dense = drawn_symmetric(4, 3);
  HeldSlices held(4, 3, {0, 1});
  dense.at({1, 2, 3}) = std::numeric_limits<double>::quiet_NaN();
  write_npy(folder / "nan.npy", dense);
  EXPECT_ERROR(read_slices(folder / "nan.npy", held), "the value at index (1, 2, 3)");
  dense.at({1, 2, 3}) = 1e80;
  write_npy(folder / "large.npy", dense);
  EXPECT_ERROR(read_slices(folder / "large.npy", held), "divide all of them");
  write_npy(folder / "other.npy", drawn_symmetric(5, 3));
  EXPECT_ERROR(read_slices(folder / "other.npy", held), "give all ranks the same file");
  put_gzip(folder / "t.npy.gz", get(folder / "other.npy"));
  EXPECT_ERROR(sliceable_dims(folder / "t.npy.gz"), "give a plain .npy file");
}

}  // namespace
}  // namespace sotto
