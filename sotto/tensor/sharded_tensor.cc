#include "sotto/tensor/sharded_tensor.h"

#include <cmath>

#include "sotto/base/error.h"
#include "sotto/tensor/contraction.h"
#include "sotto/tensor/shard_answer.h"
#include "sotto/tensor/sharded_points.h"

namespace sotto {
namespace {

constexpr std::string_view kTensorMark = "sotto tensor";
constexpr const char* kOtherQuestion = "the parts of the shards are not those of this question";

Index chunk_count(Index dim, int order) { return std::ssize(slice_chunks(dim, order)) - 1; }

// Worst difference, largest entry, sorted index.
RowMatrix row_of(const SymmetryFound& found, int order) {
  RowMatrix row = RowMatrix::Constant(1, 2 + order, -1);
  row(0, 0) = found.worst;
  row(0, 1) = found.largest;
  for (std::size_t m = 0; m < found.sorted.size(); ++m) {
    row(0, 2 + static_cast<Index>(m)) = static_cast<double>(found.sorted[m]);
  }
  return row;
}

}  // namespace

HeldSlices::HeldSlices(Index rows_of_mode, int modes, std::pair<Index, Index> chunks)
    : dim(rows_of_mode), order(modes), first_chunk(chunks.first), last_chunk(chunks.second) {
  const std::vector<Index> starts = slice_chunks(dim, order);
  const Index rows = dim - starts[static_cast<std::size_t>(first_chunk)];
  const Index rows_behind = dim - starts[static_cast<std::size_t>(last_chunk)];
  before = unique_entries(dim, order) - packed_size(rows, order);
  packed.assign(
      static_cast<std::size_t>(packed_size(rows, order) - packed_size(rows_behind, order)), 0.0);
}

std::string TensorQuestion::bytes() const {
  ByteWriter bytes;
  write_mark(kTensorMark, bytes);
  for (const Index value : {number, shards, dim, order, static_cast<Index>(what), block.cols()}) {
    bytes.integer(value);
  }
  bytes.reals({block.data(), static_cast<std::size_t>(block.size())});
  return std::move(bytes).sealed();
}

TensorQuestion TensorQuestion::read(const std::string& text) {
  ByteReader bytes(text, "a question to a shard");
  require_mark(kTensorMark, bytes);
  TensorQuestion question;
  for (Index* value : {&question.number, &question.shards, &question.dim, &question.order}) {
    *value = bytes.integer();
  }
  question.what = static_cast<TensorSum>(bytes.integer());
  const Index cols = bytes.integer();
  const std::vector<double> values = bytes.reals();
  bytes.require_end();
  require_whole(question.what != TensorSum::products || std::ssize(values) == question.dim * cols,
                "a question asks for what a shard does not have");
  question.block = Eigen::Map<const Matrix>(values.data(), cols == 0 ? 0 : question.dim, cols);
  return question;
}

std::pair<Index, Index> chunks_of_shard(const TensorQuestion& question, Index shard) {
  return pieces_of_shard(chunk_count(question.dim, static_cast<int>(question.order)), shard,
                         question.shards);
}

std::string answer_tensor_question(const HeldSlices& held, const TensorQuestion& question,
                                   Index shard) {
  const Index chunks = chunk_count(held.dim, held.order);
  ShardAnswer answer;
  answer.question = question.number;
  if (question.what == TensorSum::products) {
    answer.part.emplace(question.block.rows(), question.block.cols(), chunks);
    add_products(held.view(), held.first_chunk, held.last_chunk, question.block, *answer.part);
  } else if (question.what == TensorSum::squares) {
    const std::vector<Index> starts = slice_chunks(held.dim, held.order);
    answer.part.emplace(1, 1, chunks);
    for (Index c = held.first_chunk; c < held.last_chunk; ++c) {
      const auto chunk = static_cast<std::size_t>(c);
      const double sum = squares_of_slices(held.view(), starts[chunk], starts[chunk + 1]);
      answer.part->add(c, RowMatrix::Constant(1, 1, sum));
    }
  } else {
    require_whole(question.what == TensorSum::symmetry,
                  "a question asks for what a shard does not have");
    answer.rows.emplace(2 + held.order);
    answer.rows->add(shard, row_of(held.symmetry, held.order));
  }
  return answer.bytes();
}

AskedTensor::AskedTensor(Ask ask, Index dim, int order, Index shards)
    : ask_(std::move(ask)), dim_(dim), order_(order), shards_(shards) {}

TensorQuestion AskedTensor::next(TensorSum what) {
  return {questions_++, shards_, dim_, order_, what, {}};
}

Matrix AskedTensor::contract(const Matrix& block) {
  SOTTO_REQUIRE(block.rows() == dim_,
                "a block of vectors of length {} for a tensor of dimension {}", block.rows(), dim_);
  TensorQuestion question = next(TensorSum::products);
  question.block = block;
  const auto answer = ShardAnswer::of(ask_(question.bytes()), question.number);
  require_whole(answer.part && answer.part->rows() == dim_ && answer.part->cols() == block.cols(),
                kOtherQuestion);
  return answer.part->total(chunk_count(dim_, order_));
}

double AskedTensor::frobenius_norm() {
  const TensorQuestion question = next(TensorSum::squares);
  const auto answer = ShardAnswer::of(ask_(question.bytes()), question.number);
  require_whole(answer.part && answer.part->rows() == 1 && answer.part->cols() == 1,
                kOtherQuestion);
  return std::sqrt(answer.part->total(chunk_count(dim_, order_))(0, 0));
}

SymmetryFound AskedTensor::symmetry() {
  const TensorQuestion question = next(TensorSum::symmetry);
  const auto answer = ShardAnswer::of(ask_(question.bytes()), question.number);
  require_whole(answer.rows.has_value(), kOtherQuestion);
  const RowMatrix rows = answer.rows->all(shards_);
  SymmetryFound found;
  for (Index shard = 0; shard < rows.rows(); ++shard) {
    found.largest = std::max(found.largest, rows(shard, 1));
    if (rows(shard, 0) <= found.worst) continue;
    found.worst = rows(shard, 0);
    found.sorted.clear();
    for (Index m = 2; m < rows.cols(); ++m) {
      found.sorted.push_back(static_cast<Index>(rows(shard, m)));
    }
  }
  return found;
}

}  // namespace sotto
