#include "sotto/io/read_tensor.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/large_values.h"
#include "sotto/io/line_reader.h"
#include "sotto/io/npy.h"
#include "sotto/io/public_format.h"
#include "sotto/io/text_fields.h"
#include "sotto/io/tns.h"

namespace sotto {
namespace {

// What the text of a .tns file may begin with, after comments: a number or a Tensor Toolbox header.
bool begins_like_tns(std::string_view head) {
  constexpr std::string_view space = " \t\r\n";
  for (;;) {
    head.remove_prefix(std::min(head.find_first_not_of(space), head.size()));
    if (!head.starts_with('#')) break;
    head.remove_prefix(std::min(head.find('\n'), head.size()));
  }
  const std::string_view word = head.substr(0, head.find_first_of(space));
  if (word == "tensor" || word == "sptensor") return true;
  return word.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

TensorFormat sniff_tensor(ByteSource& source) {
  const std::string_view head = without_byte_order_mark(source.peek(1 << 16));
  SOTTO_REQUIRE_AT(!head.empty(), source.path(), "the file is empty");
  if (head.starts_with("\x93NUM")) return TensorFormat::npy;
  refuse_other_files(head, source.path());
  SOTTO_REQUIRE_AT(
      begins_like_tns(head), source.path(),
      "not a tensor file: expected .npy or .tns (plain or gzip), but it begins with {}",
      printable(head.substr(0, head.find_first_of("\r\n"))));
  return TensorFormat::tns;
}

TensorFormat format_of(const std::string& path, ByteSource& source,
                       const ReadTensorOptions& options) {
  static constexpr std::string_view reads[] = {"npy", "tns"};
  if (options.format != TensorFormat::automatic) return options.format;
  if (options.records_are_private) {
    return value_named<TensorFormat>(public_format(path, source, reads)).value();
  }
  return sniff_tensor(source);
}

DenseTensor read_finite_npy(ByteSource& source, bool missing) {
  DenseTensor tensor = read_npy(source);
  if (!tensor.has_nonfinite()) return tensor;
  const auto bad = std::find_if_not(tensor.values().begin(), tensor.values().end(), [&](double v) {
    return std::isfinite(v) || (missing && std::isnan(v));
  });
  if (bad == tensor.values().end()) return tensor;
  const auto index = tensor.index_of(bad - tensor.values().begin());
  throw Error(fmt::format("the value at index ({}), counted from 0, is {}", join_text(index, ", "),
                          std::isnan(*bad) ? "NaN; `missing` treats NaN as unknown" : "infinite"),
              source.path());
}

// The rows of some people alone. None: a tensor without entries.
AnyTensor read_npy_people(ByteSource& source, const PeopleShare& share) {
  const NpyHeader header = read_npy_header(source);
  if (header.fortran_order || !source.size() || !source.is_regular()) {
    throw Error("cannot be shared out among ranks: give a plain .npy file in C order",
                source.path(), Fault::unopened);
  }
  const auto [first, last] = share.of(header.shape.front());
  if (first == last) return SparseTensor(header.shape, {}, {}, Duplicates::refuse);
  DenseTensor rows = read_npy_rows(source, header, first, last);
  SOTTO_REQUIRE_AT(!rows.has_nonfinite(), source.path(), "has values that are not finite");
  return rows;
}

AnyTensor read_quoting(const std::string& path, const ReadTensorOptions& options,
                       TensorFormat* format_used) {
  ByteSource source(path, packing_of(options.records_are_private));
  const TensorFormat format = format_of(path, source, options);
  if (format_used != nullptr) *format_used = format;
  SOTTO_REQUIRE_AT(options.index_base == IndexBase::automatic || format == TensorFormat::tns,
                   "`index-base`", "only works with .tns files");
  if (format == TensorFormat::npy) {
    if (options.people.parts > 1) return read_npy_people(source, options.people);
    return read_finite_npy(source, options.missing);
  }
  // The shape is public, so it must not be what the largest indices in the data say.
  return read_tns(source, options.duplicates,
                  options.records_are_private ? Shape::declared : Shape::declared_or_seen,
                  options.index_base, options.people);
}

AnyTensor read_checked(const std::string& path, const ReadTensorOptions& options,
                       TensorFormat* format_used) {
  AnyTensor tensor = read_quoting(path, options, format_used);
  std::visit(
      [&](const auto& t) {
        refuse_large(t.values(), largest_value(options.records_are_private), path);
      },
      tensor);
  return tensor;
}

}  // namespace

TensorFormat tensor_format(const std::string& path, const ReadTensorOptions& options) {
  ByteSource source(path, packing_of(options.records_are_private));
  return format_of(path, source, options);
}

Sensitive<AnyTensor> read_tensor(const std::string& path, const ReadTensorOptions& options,
                                 TensorFormat* format_used) {
  try {
    return Sensitive<AnyTensor>(read_checked(path, options, format_used));
  } catch (const Error& error) {
    const bool quotes = error.fault() == Fault::input && !error.names_an_option();
    if (!options.records_are_private || !quotes) throw;
    throw Error(
        "is not a tensor of finite numbers with a declared shape (.npy, or .tns with a Tensor "
        "Toolbox header); what is wrong with it is not shown in a private run, and nothing was "
        "released",
        path);
  }
}

}  // namespace sotto
