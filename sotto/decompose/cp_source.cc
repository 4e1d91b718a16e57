#include "sotto/decompose/cp_source.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/base/parallel.h"

namespace sotto {
namespace {

// Which rows of each mode have an entry.
class RowsSeen {
 public:
  explicit RowsSeen(const std::vector<Index>& dims) {
    for (const Index d : dims) seen_.emplace_back(static_cast<std::size_t>(d), false);
  }
  void see(Index mode, Index row) { seen_[mode][static_cast<std::size_t>(row)] = true; }
  void require_all(const char* what) const {
    for (std::size_t m = 0; m < seen_.size(); ++m) {
      const auto at = std::find(seen_[m].begin(), seen_[m].end(), false);
      SOTTO_REQUIRE(at == seen_[m].end(),
                    "slice {} of mode {}, both counted from 0, has no {} entry, so that its row of "
                    "the factor is not determined: leave that slice out",
                    at - seen_[m].begin(), m, what);
    }
  }

 private:
  std::vector<std::vector<bool>> seen_;
};

bool none_negative(std::span<const double> values) {
  constexpr Index kBlock = Index{1} << 16;
  const Index size = std::ssize(values), blocks = (size + kBlock - 1) / kBlock;
  std::atomic<bool> all = true;
  parallel_for(blocks, {0, blocks > 1}, [&](Index b) {
    const Index length = std::min(kBlock, size - b * kBlock);
    if (!all.load(std::memory_order_relaxed)) return;
    if (!(Eigen::Map<const Vector>(values.data() + b * kBlock, length).minCoeff() >= 0)) {
      all = false;
    }
  });
  return all;
}

// The squared norm of a tensor about whose entries nothing is special, as most: one plain scan. No
// entry is NaN or infinite where the sum of the squares is finite.
std::optional<double> ordinary_squared_norm(const DenseTensor& x, bool non_negative) {
  const double sum = squared_norm(x.values());
  if (x.size() == 0 || !std::isfinite(sum)) return std::nullopt;
  if (non_negative && !none_negative(x.values())) return std::nullopt;
  return sum;
}

std::optional<double> check_dense(const DenseTensor& x, bool missing, bool non_negative) {
  if (const auto sum = ordinary_squared_norm(x, non_negative)) return sum;
  RowsSeen rows(x.dims());
  std::vector<Index> at(x.dims().size(), 0);
  Index known = 0;
  for (Index p = 0; p < x.size(); ++p) {
    const double value = x.values()[p];
    const bool is_known = !std::isnan(value);
    SOTTO_REQUIRE(is_known || missing,
                  "the value at index ({}), counted from 0, is NaN; give `missing` to leave such "
                  "entries out of the fit",
                  join_text(at, ", "));
    SOTTO_REQUIRE(!std::isinf(value), "the value at index ({}), counted from 0, is infinite",
                  join_text(at, ", "));
    SOTTO_REQUIRE(!is_known || !non_negative || value >= 0,
                  "the value at index ({}), counted from 0, is negative: `non-negative` is for "
                  "tensors without negative entries",
                  join_text(at, ", "));
    if (is_known && missing) {
      for (Index m = 0; m < x.order(); ++m) rows.see(m, at[m]);
    }
    known += is_known;
    for (Index m = x.order() - 1; m >= 0 && ++at[m] == x.dims()[m]; --m) at[m] = 0;
  }
  SOTTO_REQUIRE(known > 0, "every entry of the tensor is NaN");
  if (missing) rows.require_all("known");
  return std::nullopt;
}

void check_sparse(const SparseTensor& x, bool non_negative) {
  SOTTO_REQUIRE(x.nnz() > 0, "the tensor has no entries");
  RowsSeen rows(x.dims());
  for (Index e = 0; e < x.nnz(); ++e) {
    SOTTO_REQUIRE(std::isfinite(x.values()[e]), "entry {} is NaN or infinite", e);
    SOTTO_REQUIRE(!non_negative || x.values()[e] >= 0,
                  "the entry at index ({}), counted from 0, is negative: `non-negative` is for "
                  "tensors without negative entries",
                  join_text(x.index(e), ", "));
    for (Index m = 0; m < x.order(); ++m) rows.see(m, x.index(e)[m]);
  }
  rows.require_all("stored");
}

}  // namespace

void check_fit_shape(const std::vector<Index>& dims) {
  SOTTO_REQUIRE(dims.size() >= 3 && std::ssize(dims) <= max_tensor_order,
                "CP and Tucker take tensors of order 3 to {}, this one has order {} ({})",
                max_tensor_order, dims.size(), shape_text(dims));
  for (std::size_t m = 0; m < dims.size(); ++m) {
    SOTTO_REQUIRE(dims[m] > 1,
                  "mode {} of {} has one row only: leave that mode out (modes are counted from 0)",
                  m, shape_text(dims));
  }
}

std::optional<double> check_fit_input(const AnyTensor& tensor, bool missing, bool no_negatives) {
  check_fit_shape(dims_of(tensor));
  if (const auto* dense = std::get_if<DenseTensor>(&tensor)) {
    return check_dense(*dense, missing, no_negatives);
  }
  check_sparse(std::get<SparseTensor>(tensor), no_negatives);
  return std::nullopt;
}

void check_components(const std::vector<Index>& dims, Index k) {
  SOTTO_REQUIRE_AT(k >= 1, "`components`", "a model needs at least one component");
  SOTTO_REQUIRE_AT(k <= most_components(dims), "`components`",
                   "{} components are more than a tensor of {} allows: {} fit any such tensor "
                   "exactly",
                   k, shape_text(dims), most_components(dims));
}

CpSource::CpSource(const AnyTensor& tensor, bool missing, std::optional<double> squared_norm) {
  if (const auto* dense = std::get_if<DenseTensor>(&tensor)) {
    take_dense(*dense, missing, squared_norm);
  } else {
    take_sparse(std::get<SparseTensor>(tensor), missing);
  }
  if (complete_) {
    problem_ = std::make_unique<CompleteCp>(*products_);
  } else {
    problem_ = std::make_unique<ObservedCp>(*products_, *mask_products_);
  }
}

void CpSource::take_dense(const DenseTensor& tensor, bool missing,
                          std::optional<double> squared_norm) {
  complete_ = !missing || squared_norm || !tensor.has_nonfinite();
  observed_ = stored_ = tensor.size();
  if (complete_) {
    dense_ = &tensor;
    products_ = std::make_unique<DenseMttkrp>(tensor, nullptr, squared_norm);
    return;
  }
  filled_.emplace(tensor);
  mask_.emplace(tensor.dims());
  for (Index p = 0; p < tensor.size(); ++p) {
    const bool known = !std::isnan(tensor.values()[p]);
    mask_->values()[p] = known ? 1 : 0;
    if (!known) filled_->values()[p] = 0;
    observed_ -= !known;
  }
  products_ = std::make_unique<DenseMttkrp>(*filled_, &*mask_);
  mask_products_ = std::make_unique<DenseMttkrp>(*mask_);
}

void CpSource::take_sparse(const SparseTensor& tensor, bool missing) {
  cache_ = std::make_unique<FibreCache>(tensor);
  complete_ = !missing;
  stored_ = tensor.nnz();
  observed_ = missing ? stored_ : 1;
  if (!missing) {
    for (const Index d : tensor.dims()) observed_ *= d;
    products_ = std::make_unique<SparseMttkrp>(tensor);
    return;
  }
  const SparseTensor ones(
      tensor.dims(),
      std::vector<SparseTensor::Coordinate>(tensor.indices().begin(), tensor.indices().end()),
      std::vector<double>(static_cast<std::size_t>(tensor.nnz()), 1.0), Duplicates::refuse);
  products_ = std::make_unique<SparseMttkrp>(tensor, Unstored::unknown);
  mask_products_ = std::make_unique<SparseMttkrp>(ones, Unstored::unknown);
}

}  // namespace sotto
