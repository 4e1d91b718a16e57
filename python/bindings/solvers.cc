// Solvers on their own: the power methods over any tensor that can be asked for products, and
// whitening.
#include <nanobind/stl/string.h>

#include <utility>

#include "python/bindings/arrays.h"
#include "python/bindings/bind.h"
#include "python/bindings/call.h"
#include "sotto/base/error.h"
#include "sotto/decompose/power.h"
#include "sotto/decompose/whitening.h"
#include "sotto/tensor/oracle.h"

namespace sotto::python {
namespace {

// Any Python object with contract(block): T(I, u, .., u) for each column u of the block.
class PythonOracle final : public SymmetricOracle {
 public:
  PythonOracle(nb::handle object, Index dim, int order)
      : object_(object), dim_(dim), order_(order) {}

  Index dim() const override { return dim_; }
  int order() const override { return order_; }

  Matrix contract(const Matrix& block) override {
    const nb::gil_scoped_acquire lock;
    const nb::object answer = object_.attr("contract")(to_numpy(Matrix(block)));
    const auto numbers = nb::cast<nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>>(answer);
    SOTTO_REQUIRE(static_cast<Index>(numbers.shape(0)) == block.rows() &&
                      static_cast<Index>(numbers.shape(1)) == block.cols(),
                  "contract() must return an array of {} x {}, it is {} x {}", block.rows(),
                  block.cols(), numbers.shape(0), numbers.shape(1));
    SOTTO_REQUIRE(numbers.dtype() == nb::dtype<double>(), "contract() must return float64");
    const auto* values = static_cast<const double*>(numbers.data());
    Matrix result(block.rows(), block.cols());
    for (Index j = 0; j < result.cols(); ++j) {
      for (Index i = 0; i < result.rows(); ++i) {
        result(i, j) = values[i * numbers.stride(0) + j * numbers.stride(1)];
      }
    }
    SOTTO_REQUIRE(result.allFinite(), "contract() returned NaN or infinity");
    return result;
  }
  Vector values(const Matrix& block) override { return column_dots(block, contract(block)); }

 private:
  nb::handle object_;
  Index dim_;
  int order_;
};

nb::dict decompose_oracle(nb::handle object, Index dim, int order, const OptionTexts& options,
                          Index components, bool simultaneous, nb::object progress) {
  PowerOptions power;
  power.components = components;
  set_options(power.table(), options);
  power.check(dim);
  PythonOracle oracle(object, dim, order);
  const Decomposition found =
      CallProgress(std::move(progress)).run([&](const ProgressCallback& report) {
        return simultaneous ? simultaneous_power_method(oracle, power, report)
                            : robust_power_method(oracle, power, report);
      });
  nb::dict result;
  result["weights"] = to_numpy(found.weights);
  result["vectors"] = to_numpy(found.vectors());
  result["residuals"] = to_numpy(found.residuals);
  result["status"] = status_text(found.status);
  return result;
}

nb::tuple whiten(const Rows& moment, Index k) {
  Whitening found = whitening_from_moment(to_matrix(moment), k);
  return nb::make_tuple(to_numpy(found.whiten), to_numpy(found.unwhiten));
}

}  // namespace

void bind_solvers(nb::module_& m) {
  m.def("decompose_oracle", decompose_oracle, nb::arg("object"), nb::arg("dim"), nb::arg("order"),
        nb::arg("options"), nb::arg("components"), nb::arg("simultaneous"),
        nb::arg("progress").none() = nb::none());
  m.def("whiten", whiten);
}

}  // namespace sotto::python
