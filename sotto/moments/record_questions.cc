#include "sotto/moments/record_questions.h"

#include <utility>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/moments/component_expectation.h"
#include "sotto/moments/mixture_expectation.h"
#include "sotto/moments/point_grid.h"
#include "sotto/moments/stream_sums.h"
#include "sotto/tensor/sharded_points.h"

namespace sotto {
namespace {

template <class Sum>
std::unique_ptr<RecordSum> read_power_sum(ByteReader& bytes) {
  const std::int64_t power = bytes.integer();
  const double bound = bytes.real();
  SOTTO_REQUIRE(2 <= power && power <= 4 && bound > 0, "a question has power {} and bound {}",
                power, bound);
  return std::make_unique<Sum>(read_matrix(bytes), static_cast<int>(power), bound);
}

}  // namespace

void write_matrix(const RowMatrix& matrix, ByteWriter& bytes) {
  bytes.integer(matrix.rows());
  bytes.integer(matrix.cols());
  bytes.reals({matrix.data(), static_cast<std::size_t>(matrix.size())});
}

RowMatrix read_matrix(ByteReader& bytes) {
  const Index rows = bytes.integer(), cols = bytes.integer();
  const std::vector<double> values = bytes.reals();
  SOTTO_REQUIRE(
      rows >= 0 && cols > 0 && std::ssize(values) % cols == 0 && std::ssize(values) / cols == rows,
      "{} numbers are no matrix of {} x {}", values.size(), rows, cols);
  return Eigen::Map<const RowMatrix>(values.data(), rows, cols);
}

Vector read_vector(ByteReader& bytes) {
  const RowMatrix matrix = read_matrix(bytes);
  SOTTO_REQUIRE(matrix.cols() == 1, "a vector has one column, not {}", matrix.cols());
  return matrix.col(0);
}

void write_kind(SumKind kind, ByteWriter& bytes) { bytes.integer(static_cast<std::int64_t>(kind)); }

std::unique_ptr<RecordSum> read_record_sum(ByteReader& bytes) {
  const std::int64_t kind = bytes.integer();
  switch (static_cast<SumKind>(kind)) {
    case SumKind::power_products:
      return read_power_sum<PowerProducts>(bytes);
    case SumKind::power_values:
      return read_power_sum<PowerValues>(bytes);
    case SumKind::norm_counts:
      return NormCounts::read(bytes);
    case SumKind::moments:
      return MomentSums::read(bytes);
    case SumKind::cubes:
      return CubeSum::read(bytes);
    case SumKind::expectation:
      return ExpectationSum::read(bytes);
    case SumKind::components:
      return ComponentSum::read(bytes);
    case SumKind::grid:
      return GridCounts::read(bytes);
    case SumKind::spread:
      return SpreadSums::read(bytes);
  }
  throw Error(fmt::format("a question asks for a sum of the unknown kind {}", kind), "");
}

namespace {

std::pair<ShardQuestion, std::unique_ptr<RecordSum>> read_question(const std::string& question) {
  ByteReader bytes(question, "a question to a shard");
  const ShardQuestion asked = ShardQuestion::read(bytes);
  std::unique_ptr<RecordSum> sum = read_record_sum(bytes);
  bytes.require_end();
  return {asked, std::move(sum)};
}

}  // namespace

std::string answer_record_question(PointSource& whole, const std::string& question, Index shard) {
  const auto [asked, sum] = read_question(question);
  return answer_of_shard(whole, asked, *sum, shard);
}

std::string answer_record_question(PointSource& held, const std::string& question,
                                   const OwnRecords& own) {
  const auto [asked, sum] = read_question(question);
  return answer_of_holder(held, own, asked, *sum);
}

}  // namespace sotto
