// A symmetric tensor whose slices are shared out among shards: each holds those of a run of leading
// indices and answers for them, so the tensor may be larger than any one memory.
//
// What the power methods ask for, products with a block of vectors and the norm, are sums over
// chunks of slices (slice_chunks of symmetric_tensor.h). A shard holds neighbouring chunks. The
// sums have the bits of the packed tensor in one process, whatever the number of shards.
//
// Cost of a product with L vectors: 8 d L bytes to every shard, and at most 10 times that back.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/tensor/oracle.h"
#include "sotto/tensor/symmetric_tensor.h"

namespace sotto {

// How far entries whose indices are permutations of each other differ.
struct SymmetryFound {
  double worst = 0;           // the largest difference,
  std::vector<Index> sorted;  // and the sorted index at which it is; empty: none
  double largest = 0;         // entry, by its size
};

// The chunks of one shard.
struct HeldSlices {
  Index dim = 0;
  int order = 3;
  Index first_chunk = 0, last_chunk = 0;
  Index before = 0;  // entries of the chunks before them
  std::vector<double> packed;
  SymmetryFound symmetry;  // of all entries whose smallest index is in these chunks

  // All zero.
  HeldSlices(Index rows_of_mode, int modes, std::pair<Index, Index> chunks);
  TailSlices view() const { return {dim, order, packed.data(), before}; }
};

// These numbers are written into the bytes, so they are never reused.
enum class TensorSum : std::int64_t { products = 1, squares = 2, symmetry = 3 };

struct TensorQuestion {
  Index number = 0, shards = 1;
  Index dim = 0, order = 3;
  TensorSum what = TensorSum::products;
  Matrix block;  // of products

  std::string bytes() const;
  static TensorQuestion read(const std::string& text);
};

// The chunks that a shard of this question has.
std::pair<Index, Index> chunks_of_shard(const TensorQuestion& question, Index shard);

// Throws an Error where it cannot answer.
std::string answer_tensor_question(const HeldSlices& held, const TensorQuestion& question,
                                   Index shard);

class AskedTensor final : public SymmetricOracle {
 public:
  // Hands a question to all shards and returns their answers, joined by joined_answers().
  using Ask = std::function<std::string(const std::string& question)>;
  AskedTensor(Ask ask, Index dim, int order, Index shards);

  Index dim() const override { return dim_; }
  int order() const override { return order_; }
  Matrix contract(const Matrix& block) override;
  Vector values(const Matrix& block) override { return column_dots(block, contract(block)); }
  double frobenius_norm();
  SymmetryFound symmetry();

 private:
  TensorQuestion next(TensorSum what);

  Ask ask_;
  Index dim_;
  int order_;
  Index shards_;
  Index questions_ = 0;
};

}  // namespace sotto
