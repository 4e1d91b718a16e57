#include "sotto/moments/people_questions.h"

#include "sotto/base/bytes.h"
#include "sotto/moments/record_questions.h"
#include "sotto/tensor/shard_answer.h"

namespace sotto {
namespace {

constexpr std::string_view kPeopleMark = "sotto people";

RowMatrix column_of(const double* numbers, Index count) {
  return Eigen::Map<const RowMatrix>(numbers, count, 1);
}
// Of either storage order, row by row.
RowMatrix flattened(const RowMatrix& matrix) { return column_of(matrix.data(), matrix.size()); }

RowMatrix folded(const RowMatrix& column, Index rows) {
  return Eigen::Map<const RowMatrix>(column.data(), rows, rows == 0 ? 0 : column.size() / rows);
}

std::string answer_with(const PeopleQuestion& question, Index shard, RowMatrix numbers) {
  ShardAnswer answer;
  answer.question = question.number;
  answer.part.emplace(numbers.rows(), 1, question.shards);
  answer.part->add(shard, std::move(numbers));
  return answer.bytes();
}

void require_form(const PeopleQuestion& question, std::size_t integers, std::size_t matrices) {
  require_whole(question.integers.size() >= integers && question.matrices.size() >= matrices,
                "a question asks for what a shard does not have");
}

std::vector<std::int32_t> core_from(const PeopleQuestion& question, std::size_t first) {
  return {question.integers.begin() + static_cast<Index>(first), question.integers.end()};
}

PersonFactors factors_of(const PeopleQuestion& question) {
  require_form(question, 1, 2);
  return {question.matrices[0], question.matrices[1].col(0),
          static_cast<int>(question.integers[0])};
}

SliceFactors slice_factors_of(const PeopleQuestion& question) {
  require_form(question, 0, 2);
  return {question.matrices[0], question.matrices[1]};
}

RowMatrix people_sum(const PeopleSource& held, const PeopleQuestion& question) {
  switch (question.what) {
    case PeopleSum::frequencies:
      return held.frequencies();
    case PeopleSum::pairs:
      require_form(question, 0, 1);
      return flattened(held.pairs(core_from(question, 0), question.matrices[0].col(0)));
    case PeopleSum::triples: {
      require_form(question, 0, 1);
      TripleBasis basis{question.matrices, question.matrices.back()};
      basis.of_mode.pop_back();
      return held.triples(basis);
    }
    case PeopleSum::expected_counts:
      require_form(question, 1, 3);
      return flattened(held.expected_counts(factors_of(question), question.matrices[2].col(0)));
    case PeopleSum::loadings:
      require_form(question, 2, 2);
      return flattened(held.loadings(factors_of(question), question.integers[1]));
    default:
      break;
  }
  throw Error("a question asks for what a shard does not have", "", Fault::system);
}

RowMatrix slice_sum(const SliceSource& held, const PeopleQuestion& question) {
  switch (question.what) {
    case PeopleSum::row_norms:
      return held.row_norms();
    case PeopleSum::gram:
      require_form(question, 1, 0);
      return flattened(held.gram(question.integers[0], core_from(question, 1)));
    case PeopleSum::compressed:
      return flattened(held.compressed(question.matrices));
    case PeopleSum::normal:
      return held.normal(slice_factors_of(question));
    case PeopleSum::slice_loadings:
      require_form(question, 1, 2);
      return flattened(held.loadings(slice_factors_of(question), question.integers[0]));
    default:
      break;
  }
  throw Error("a question asks for what a shard does not have", "", Fault::system);
}

}  // namespace

std::string PeopleQuestion::bytes() const {
  ByteWriter bytes;
  write_mark(kPeopleMark, bytes);
  for (const Index value : {number, shards, static_cast<Index>(what), std::ssize(integers)}) {
    bytes.integer(value);
  }
  for (const Index value : integers) bytes.integer(value);
  bytes.integer(std::ssize(matrices));
  for (const RowMatrix& matrix : matrices) write_matrix(matrix, bytes);
  return std::move(bytes).sealed();
}

PeopleQuestion PeopleQuestion::read(const std::string& text) {
  ByteReader bytes(text, "a question to a shard");
  require_mark(kPeopleMark, bytes);
  PeopleQuestion question;
  question.number = bytes.integer();
  question.shards = bytes.integer();
  question.what = static_cast<PeopleSum>(bytes.integer());
  for (Index left = bytes.integer(); left > 0; --left) question.integers.push_back(bytes.integer());
  for (Index left = bytes.integer(); left > 0; --left) {
    question.matrices.push_back(read_matrix(bytes));
  }
  bytes.require_end();
  return question;
}

std::string answer_people_question(const PeopleSource& held, const PeopleQuestion& question,
                                   Index shard) {
  return answer_with(question, shard, people_sum(held, question));
}

std::string answer_slice_question(const SliceSource& held, const PeopleQuestion& question,
                                  Index shard) {
  return answer_with(question, shard, slice_sum(held, question));
}

RowMatrix PeopleAsker::operator()(PeopleSum what, std::vector<Index> integers,
                                  std::vector<RowMatrix> matrices, Index numbers) const {
  const PeopleQuestion question{questions_++, shards_, what, std::move(integers),
                                std::move(matrices)};
  const auto answer = ShardAnswer::of(ask_(question), question.number);
  require_whole(answer.part && answer.part->rows() == numbers && answer.part->cols() == 1,
                "the parts of the shards are not those of this question");
  return answer.part->total(shards_);
}

Vector AskedPeople::frequencies() const {
  return ask_(PeopleSum::frequencies, {}, {}, features_).col(0);
}

Matrix AskedPeople::pairs(std::span<const std::int32_t> core, const Vector& weights) const {
  const Index size = std::ssize(core);
  return folded(ask_(PeopleSum::pairs, {core.begin(), core.end()}, {weights}, size * size), size);
}

Vector AskedPeople::triples(const TripleBasis& basis) const {
  std::vector<RowMatrix> matrices = basis.of_mode;
  matrices.push_back(basis.of_other);
  return ask_(PeopleSum::triples, {}, std::move(matrices), basis.size()).col(0);
}

RowMatrix AskedPeople::expected_counts(const PersonFactors& factors, const Vector& scale) const {
  return folded(ask_(PeopleSum::expected_counts, {factors.rounds},
                     {factors.stacked, factors.alpha, scale}, factors.stacked.size()),
                factors.stacked.rows());
}

RowMatrix AskedPeople::loadings(const PersonFactors& factors, Index bins) const {
  return folded(ask_(PeopleSum::loadings, {factors.rounds, bins}, {factors.stacked, factors.alpha},
                     bins * factors.alpha.size()),
                bins);
}

Vector AskedSlices::row_norms() const {
  return ask_(PeopleSum::row_norms, {}, {}, features_).col(0);
}

Matrix AskedSlices::gram(Index mode, std::span<const std::int32_t> core) const {
  const Index size = std::ssize(core);
  std::vector<Index> integers{mode};
  integers.insert(integers.end(), core.begin(), core.end());
  return folded(ask_(PeopleSum::gram, std::move(integers), {}, size * size), size);
}

Matrix AskedSlices::compressed(const std::vector<RowMatrix>& bases) const {
  Index size = 1;
  for (const RowMatrix& basis : bases) size *= basis.cols();
  return folded(ask_(PeopleSum::compressed, {}, bases, size * size), size);
}

Vector AskedSlices::normal(const SliceFactors& factors) const {
  return ask_(PeopleSum::normal, {}, {factors.stacked, factors.solve},
              factors.stacked.size() + factors.solve.size())
      .col(0);
}

RowMatrix AskedSlices::loadings(const SliceFactors& factors, Index bins) const {
  return folded(ask_(PeopleSum::slice_loadings, {bins}, {factors.stacked, factors.solve},
                     bins * factors.solve.rows()),
                bins);
}

}  // namespace sotto
