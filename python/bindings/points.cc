#include "python/bindings/points.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sotto/base/error.h"

namespace sotto::python {
namespace {

constexpr const char* kName = "X";

// Which record comes next, in the given order where there is one.
class RecordOrder {
 public:
  void set(std::vector<Index> order) { order_ = std::move(order); }
  Index operator[](Index n) const {
    return order_.empty() ? n : order_[static_cast<std::size_t>(n)];
  }

 private:
  std::vector<Index> order_;
};

template <class Number>
class ArrayPoints final : public PointSource {
 public:
  ArrayPoints(const Number* values, Index rows, Index dim, Index row_stride, Index column_stride)
      : values_(values), rows_(rows), dim_(dim), row_(row_stride), column_(column_stride) {}

  Index dim() const override { return dim_; }
  std::string name() const override { return kName; }
  std::optional<Index> records() const override { return rows_; }
  bool can_rewind() const override { return true; }
  bool has_random_access() const override { return true; }

 protected:
  Index fill(Index max_rows, PointBlock& block) override {
    const Index rows = std::min(max_rows, rows_ - next_);
    block.is_sparse = false;
    block.dense.resize(rows, dim_);
    for (Index r = 0; r < rows; ++r) {
      const Number* from = values_ + order_[next_ + r] * row_;
      double* to = block.dense.data() + r * dim_;
      if (column_ == 1) {
        std::copy_n(from, dim_, to);
      } else {
        for (Index j = 0; j < dim_; ++j) to[j] = static_cast<double>(from[j * column_]);
      }
    }
    next_ += rows;
    return rows;
  }
  void restart() override { next_ = 0; }
  void set_order(std::vector<Index>&& order) override { order_.set(std::move(order)); }

 private:
  const Number* values_;
  Index rows_, dim_, row_, column_;
  RecordOrder order_;
  Index next_ = 0;
};

template <class Integer>
class SparsePoints final : public PointSource {
 public:
  SparsePoints(const Integer* begin, const Integer* column, const double* value, Index rows,
               Index dim)
      : begin_(begin), column_(column), value_(value), rows_(rows), dim_(dim) {}

  Index dim() const override { return dim_; }
  std::string name() const override { return kName; }
  std::optional<Index> records() const override { return rows_; }
  bool is_sparse() const override { return true; }
  bool can_rewind() const override { return true; }
  bool has_random_access() const override { return true; }

 protected:
  Index fill(Index max_rows, PointBlock& block) override {
    const Index rows = std::min(max_rows, rows_ - next_);
    block.is_sparse = true;
    Index entries = 0;
    for (Index r = 0; r < rows; ++r) entries += length(order_[next_ + r]);
    block.sparse.resize(rows, dim_);
    block.sparse.resizeNonZeros(entries);
    std::int64_t at = 0;
    for (Index r = 0; r < rows; ++r) {
      const Index record = order_[next_ + r];
      block.sparse.outerIndexPtr()[r] = at;
      std::copy_n(column_ + begin_[record], length(record), block.sparse.innerIndexPtr() + at);
      std::copy_n(value_ + begin_[record], length(record), block.sparse.valuePtr() + at);
      at += length(record);
    }
    block.sparse.outerIndexPtr()[rows] = at;
    next_ += rows;
    return rows;
  }
  void restart() override { next_ = 0; }
  void set_order(std::vector<Index>&& order) override { order_.set(std::move(order)); }

 private:
  Index length(Index record) const {
    return static_cast<Index>(begin_[record + 1] - begin_[record]);
  }

  const Integer* begin_;
  const Integer* column_;
  const double* value_;
  Index rows_, dim_;
  RecordOrder order_;
  Index next_ = 0;
};

// Asks Python for the next batch when the last one has been used up.
class BatchPoints final : public PointSource {
 public:
  BatchPoints(nb::handle begin, Index dim, std::optional<Index> records, bool again)
      : begin_(begin), dim_(dim), records_(records), again_(again) {}
  ~BatchPoints() override {
    const nb::gil_scoped_acquire gil;
    batch_.reset();
    iterator_.reset();
  }

  Index dim() const override { return dim_; }
  std::string name() const override { return kName; }
  std::optional<Index> records() const override { return records_; }
  bool can_rewind() const override { return again_; }

 protected:
  Index fill(Index max_rows, PointBlock& block) override {
    block.is_sparse = false;
    block.dense.resize(max_rows, dim_);
    Index filled = 0;
    while (filled < max_rows && (used_ < rows_ || next_batch())) {
      const Index rows = std::min(max_rows - filled, rows_ - used_);
      std::copy_n(values_ + used_ * dim_, rows * dim_, block.dense.data() + filled * dim_);
      used_ += rows;
      filled += rows;
    }
    block.dense.conservativeResize(filled, dim_);
    return filled;
  }
  void restart() override {
    const nb::gil_scoped_acquire gil;
    iterator_.reset();
    ended_ = false;
    rows_ = used_ = 0;
  }

 private:
  bool next_batch() {
    const nb::gil_scoped_acquire gil;
    if (ended_) return false;
    if (!iterator_.is_valid()) iterator_ = nb::steal(PyObject_GetIter(begin_().ptr()));
    if (!iterator_.is_valid()) throw nb::python_error();
    const nb::object next = nb::steal(PyIter_Next(iterator_.ptr()));
    if (!next.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      ended_ = true;
      return false;
    }
    batch_ = next;
    const auto array = nb::cast<Rows>(next);
    SOTTO_REQUIRE_AT(static_cast<Index>(array.shape(1)) == dim_, kName,
                     "has a batch with {} columns, the first has {}", array.shape(1), dim_);
    values_ = array.data();
    rows_ = static_cast<Index>(array.shape(0));
    used_ = 0;
    return true;
  }

  nb::handle begin_;
  Index dim_;
  std::optional<Index> records_;
  bool again_;
  nb::object iterator_, batch_;
  const double* values_ = nullptr;
  Index rows_ = 0, used_ = 0;
  bool ended_ = false;
};

using Plane = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using Line = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Number>
Points array_points(const Plane& array) {
  return std::make_unique<ArrayPoints<Number>>(
      static_cast<const Number*>(array.data()), static_cast<Index>(array.shape(0)),
      static_cast<Index>(array.shape(1)), array.stride(0), array.stride(1));
}

template <class Integer>
Points sparse_points(const Line& begin, const Line& column, const Flat<double>& value, Index dim) {
  return std::make_unique<SparsePoints<Integer>>(
      static_cast<const Integer*>(begin.data()), static_cast<const Integer*>(column.data()),
      value.data(), static_cast<Index>(begin.size()) - 1, dim);
}

}  // namespace

PointInput points_of_array(nb::object array) {
  const auto numbers = nb::cast<Plane>(array);
  const bool single = numbers.dtype() == nb::dtype<float>();
  SOTTO_REQUIRE_AT(single || numbers.dtype() == nb::dtype<double>(), kName,
                   "must have numbers of kind float64 or float32");
  Points points = single ? array_points<float>(numbers) : array_points<double>(numbers);
  return {std::move(points), {std::move(array)}};
}

PointInput points_of_rows(nb::object begin, nb::object column, nb::object value, Index dim) {
  const auto begins = nb::cast<Line>(begin), columns = nb::cast<Line>(column);
  const auto values = nb::cast<Flat<double>>(value);
  const bool small = begins.dtype() == nb::dtype<std::int32_t>();
  SOTTO_REQUIRE_AT(small || begins.dtype() == nb::dtype<std::int64_t>(), kName,
                   "must have indices of 32 or 64 bits");
  SOTTO_REQUIRE_AT(begins.dtype() == columns.dtype(), kName, "must have indices of one kind");
  Points points = small ? sparse_points<std::int32_t>(begins, columns, values, dim)
                        : sparse_points<std::int64_t>(begins, columns, values, dim);
  return {std::move(points), {std::move(begin), std::move(column), std::move(value)}};
}

PointInput points_of_batches(nb::object begin, Index dim, std::optional<Index> records,
                             bool again) {
  Points points = std::make_unique<BatchPoints>(begin, dim, records, again);
  return {std::move(points), {std::move(begin)}};
}

}  // namespace sotto::python
