#include "sotto/models/stream_decomposition.h"

#include <gtest/gtest.h>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/decompose/block.h"
#include "sotto/linalg/spectral.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

class CountedOracle final : public SymmetricOracle {
 public:
  explicit CountedOracle(const SymmetricTensor& tensor) : inner_(tensor) {}
  Index dim() const override { return inner_.dim(); }
  int order() const override { return inner_.order(); }
  Matrix contract(const Matrix& block) override {
    ++asked;
    return inner_.contract(block);
  }
  Vector values(const Matrix& block) override {
    ++asked;
    return inner_.values(block);
  }
  Index asked = 0;

 private:
  TensorOracle inner_;
};

TEST(StreamDecomposition, asks_exactly_as_often_as_it_says_and_finds_the_components) {
  SeededRandom random(1);
  const Matrix v = orthonormal_columns(random_unit_block(12, 3, random));
  for (const int order : {3, 4}) {
    SymmetricTensor tensor(12, order);
    for (Index j = 0; j < 3; ++j) tensor.add_rank_one(3.0 - static_cast<double>(j), v.col(j));
    for (const PowerForm method : {PowerForm::robust, PowerForm::simultaneous}) {
      StreamOptions options;
      options.components = 3;
      options.iterations = 30;
      options.method = method;
      EXPECT_EQ(options.answers(), method == PowerForm::robust ? 93 : 31);
      CountedOracle oracle(tensor);
      const Decomposition found = decompose_stream(oracle, options);
      EXPECT_EQ(oracle.asked, options.answers());
      EXPECT_EQ(found.status, Status::completed);
      const Matrix cosines = (v.transpose() * found.vectors()).cwiseAbs();
      EXPECT_GT(cosines.rowwise().maxCoeff().minCoeff(), 1 - 1e-6)
          << name_of(method) << " " << order;
    }
  }
}

}  // namespace
}  // namespace sotto
