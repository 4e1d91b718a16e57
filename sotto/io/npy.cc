#include "sotto/io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/base/join_text.h"
#include "sotto/io/atomic_file.h"

namespace sotto {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
// Version 1 cannot be longer; the longer headers of versions 2 and 3 exist for records with many
// fields, which are refused anyway.
constexpr std::size_t longest_header = 1 << 16;

// The header is a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& place) : rest_(text), place_(place) {}

  void parse(NpyHeader& header) {
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      SOTTO_REQUIRE_AT(seen_.insert(key).second, place_, "the .npy header has {} twice",
                       printable(key));
      expect(':');
      parse_value(key, header);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    SOTTO_REQUIRE_AT(rest_.empty(), place_, "the .npy header goes on after its end with {}",
                     printable(rest_));
    SOTTO_REQUIRE_AT(seen_.size() == 3, place_,
                     "the .npy header must have 'descr', 'fortran_order' and 'shape'");
  }

 private:
  void parse_value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      skip_space();
      SOTTO_REQUIRE_AT(!rest_.starts_with('['), place_,
                       "the array has records ({}), real numbers were expected", printable(rest_));
      header.dtype = parse_string();
    } else if (key == "fortran_order") {
      header.fortran_order = parse_bool();
    } else if (key == "shape") {
      header.shape = parse_shape();
    } else {
      throw Error(fmt::format("the .npy header has an unknown key {}", printable(key)), place_);
    }
  }

  void skip_space() {
    const std::size_t n = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(n, rest_.size()));
  }

  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    SOTTO_REQUIRE_AT(accept(c), place_, "damaged .npy header: expected '{}' at {}", c,
                     printable(rest_));
  }

  std::string parse_string() {
    skip_space();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    SOTTO_REQUIRE_AT((quote == '\'' || quote == '"') && end != std::string_view::npos, place_,
                     "damaged .npy header: expected a quoted word at {}", printable(rest_));
    std::string word(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return word;
  }

  bool parse_bool() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    throw Error(fmt::format("damaged .npy header: expected True or False at {}", printable(rest_)),
                place_);
  }

  std::vector<Index> parse_shape() {
    std::vector<Index> shape;
    expect('(');
    while (!accept(')')) {
      shape.push_back(parse_dimension());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  Index parse_dimension() {
    skip_space();
    Index value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    SOTTO_REQUIRE_AT(error == std::errc{}, place_, "damaged .npy header: bad dimension at {}",
                     printable(rest_));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // a long integer of Python 2
    return value;
  }

  std::string_view rest_;
  const std::string& place_;
  std::set<std::string> seen_;
};

// "<f8": byte order, kind, size. '=' and '|' (and none) mean the order of the machine, as in NumPy.
void parse_dtype(NpyHeader& header, const std::string& place) {
  std::string_view text = header.dtype;
  const char order = text.empty() ? '\0' : text.front();
  if (order == '<' || order == '>' || order == '=' || order == '|') text.remove_prefix(1);
  header.big_endian = order == '>' || (order != '<' && kNativeBigEndian);
  static constexpr std::string_view known[] = {"f4", "f8", "i1", "i2", "i4",
                                               "i8", "u1", "u2", "u4", "u8"};
  SOTTO_REQUIRE_AT(std::find(std::begin(known), std::end(known), text) != std::end(known), place,
                   "the array has type {}; f4, f8 and integers can be read",
                   printable(header.dtype));
  header.kind = text[0];
  header.item_size = text[1] - '0';
}

// Reads exactly `count` bytes of the header.
std::string read_header_bytes(ByteSource& source, std::size_t count) {
  std::string bytes(count, '\0');
  const std::size_t got = source.read(bytes.data(), count);
  SOTTO_REQUIRE_AT(got == count, source.path(), "the file ends within the .npy header");
  return bytes;
}

std::size_t read_header_length(ByteSource& source) {
  const int major = static_cast<unsigned char>(read_header_bytes(source, 2)[0]);
  SOTTO_REQUIRE_AT(major >= 1 && major <= 3, source.path(), "unknown .npy version {}", major);
  const std::string bytes = read_header_bytes(source, major == 1 ? 2 : 4);
  std::size_t length = 0;
  for (std::size_t n = bytes.size(); n-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[n]);
  }
  SOTTO_REQUIRE_AT(length <= longest_header, source.path(),
                   "the .npy header claims {} bytes, more than {}", length, longest_header);
  return length;
}

void check_size(const NpyHeader& header, const ByteSource& source) {
  SOTTO_REQUIRE_AT(header.count <= std::numeric_limits<Index>::max() / header.item_size,
                   source.path(), "an array of {} cannot be addressed", shape_text(header.shape));
  if (!source.size()) return;
  const std::uint64_t claimed = static_cast<std::uint64_t>(header.count * header.item_size);
  const std::uint64_t there = *source.size() - std::min(*source.size(), header.data_offset);
  SOTTO_REQUIRE_AT(claimed == there, source.path(),
                   "an array of {} of type {} needs {} bytes, the file has {}",
                   shape_text(header.shape), header.dtype, claimed, there);
}

// A file may truly be as large as it claims and still not fit in memory.
void reserve_all(AlignedValues& values, const NpyHeader& header, const std::string& place) {
  try {
    values.reserve(header.count);
  } catch (const std::exception&) {
    throw Error(fmt::format("an array of {} does not fit in memory", shape_text(header.shape)),
                place, Fault::system);
  }
}

template <class T>
void convert_items(bool swap, const char* bytes, std::span<double> out, const std::string& place) {
  for (double& value : out) {
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), bytes, sizeof(T));
    bytes += sizeof(T);
    if (swap) std::reverse(raw.begin(), raw.end());
    const T item = std::bit_cast<T>(raw);
    value = static_cast<double>(item);
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
      // 2^53 itself may stand for a rounded 2^53 + 1.
      SOTTO_REQUIRE_AT(std::abs(value) < 0x1p53, place,
                       "the integer {} is too large for a double to hold exactly", item);
    }
  }
}

}  // namespace

void convert_npy_items(const NpyHeader& header, const char* bytes, std::span<double> out,
                       const std::string& place) {
  const bool swap = header.big_endian != kNativeBigEndian;
  const auto is = [&](char kind, Index size) {
    return header.kind == kind && header.item_size == size;
  };
  if (is('f', 8) && !swap) {
    std::memcpy(out.data(), bytes, out.size_bytes());
  } else if (is('f', 4) && !swap) {  // written out, because this form becomes vector instructions
    const float* floats = reinterpret_cast<const float*>(bytes);
    const auto count = static_cast<Index>(out.size());
    Eigen::Map<Vector>(out.data(), count) =
        Eigen::Map<const Eigen::VectorXf>(floats, count).cast<double>();
  } else if (is('f', 8)) {
    convert_items<double>(swap, bytes, out, place);
  } else if (is('f', 4)) {
    convert_items<float>(swap, bytes, out, place);
  } else if (is('i', 1)) {
    convert_items<std::int8_t>(swap, bytes, out, place);
  } else if (is('i', 2)) {
    convert_items<std::int16_t>(swap, bytes, out, place);
  } else if (is('i', 4)) {
    convert_items<std::int32_t>(swap, bytes, out, place);
  } else if (is('i', 8)) {
    convert_items<std::int64_t>(swap, bytes, out, place);
  } else if (is('u', 1)) {
    convert_items<std::uint8_t>(swap, bytes, out, place);
  } else if (is('u', 2)) {
    convert_items<std::uint16_t>(swap, bytes, out, place);
  } else if (is('u', 4)) {
    convert_items<std::uint32_t>(swap, bytes, out, place);
  } else {
    convert_items<std::uint64_t>(swap, bytes, out, place);
  }
}

NpyHeader read_npy_header(ByteSource& source) {
  const std::string& place = source.path();
  std::string start(kNpyMagic.size(), '\0');
  start.resize(source.read(start.data(), start.size()));
  SOTTO_REQUIRE_AT(!start.empty(), place, "the file is empty");
  SOTTO_REQUIRE_AT(start == kNpyMagic, place, "not a .npy file (it begins with {})",
                   printable(start));
  const std::string text = read_header_bytes(source, read_header_length(source));
  NpyHeader header;
  HeaderParser(text, place).parse(header);
  header.data_offset = source.position();
  parse_dtype(header, place);
  header.count = checked_entry_count(header.shape, place);
  check_size(header, source);
  return header;
}

NpyHeader read_npy_header(const std::string& path) {
  ByteSource source(path);
  return read_npy_header(source);
}

namespace {

// In blocks. The array is allocated at once when the size of the file has confirmed it, and
// otherwise grows to at most twice what has come.
AlignedValues read_items(ByteSource& source, const NpyHeader& header) {
  constexpr Index block_items = 1 << 17;
  std::vector<char> block(std::min(block_items, header.count) * header.item_size);
  AlignedValues values;
  if (source.size()) reserve_all(values, header, source.path());
  while (std::ssize(values) < header.count) {
    const Index done = std::ssize(values), items = std::min(block_items, header.count - done);
    const std::size_t wanted = static_cast<std::size_t>(items * header.item_size);
    SOTTO_REQUIRE_AT(source.read(block.data(), wanted) == wanted, source.path(),
                     "an array of {} needs {} values, the data ends before",
                     shape_text(header.shape), header.count);
    values.resize(done + items);
    convert_npy_items(header, block.data(), std::span(values).subspan(done), source.path());
  }
  return values;
}

}  // namespace

DenseTensor read_npy_rows(ByteSource& source, NpyHeader header, Index first, Index last) {
  const Index row = header.count / header.shape.front();
  header.shape.front() = last - first;
  header.count = row * (last - first);
  source.seek(header.data_offset + static_cast<std::uint64_t>(first * row * header.item_size));
  AlignedValues values = read_items(source, header);
  return {std::move(header.shape), std::move(values)};
}

DenseTensor read_npy(ByteSource& source) {
  NpyHeader header = read_npy_header(source);
  AlignedValues values = read_items(source, header);
  char extra;
  SOTTO_REQUIRE_AT(source.read(&extra, 1) == 0, source.path(),
                   "the file goes on after the {} values of its array", header.count);
  if (header.fortran_order) return DenseTensor::from_fortran(std::move(header.shape), values);
  return {std::move(header.shape), std::move(values)};
}

DenseTensor read_npy(const std::string& path) {
  ByteSource source(path);
  return read_npy(source);
}

namespace {

// Padded so that the data begins at a multiple of 64 bytes.
std::string header_bytes(std::span<const Index> shape, Index item_size = 8) {
  const std::string text =
      fmt::format("{{'descr': '{}f{}', 'fortran_order': False, 'shape': ({}{}), }}",
                  kNativeBigEndian ? '>' : '<', item_size, join_text(shape, ", "),
                  shape.size() == 1 ? "," : "");
  const std::size_t prefix = kNpyMagic.size() + 4;
  const std::size_t length = (prefix + text.size() + 1 + 63) / 64 * 64 - prefix;
  std::string bytes(kNpyMagic);
  bytes += {'\1', '\0', static_cast<char>(length % 256), static_cast<char>(length / 256)};
  bytes += text;
  bytes.resize(prefix + length - 1, ' ');
  return bytes + '\n';
}

std::string_view as_bytes(std::span<const double> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

void write_array(const std::string& path, std::span<const Index> shape,
                 std::span<const double> values) {
  AtomicFile file(path);
  file.write(header_bytes(shape));
  file.write(as_bytes(values));
  file.commit();
}

}  // namespace

void write_npy(const std::string& path, const Matrix& matrix) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor rows = matrix;
  const Index shape[] = {matrix.rows(), matrix.cols()};
  write_array(path, shape, {rows.data(), static_cast<std::size_t>(rows.size())});
}

void write_npy(const std::string& path, const Vector& vector) {
  const Index shape[] = {vector.size()};
  write_array(path, shape, {vector.data(), static_cast<std::size_t>(vector.size())});
}

void write_npy(const std::string& path, const DenseTensor& tensor) {
  write_array(path, tensor.dims(), tensor.values());
}

NpyWriter::NpyWriter(const std::string& path, std::vector<Index> shape, Index item_size)
    : path_(path), file_(path), item_size_(item_size), left_(checked_entry_count(shape, path)) {
  SOTTO_REQUIRE_AT(item_size == 4 || item_size == 8, path, "floats have 4 or 8 bytes, got {}",
                   item_size);
  file_.write(header_bytes(shape, item_size));
}

void NpyWriter::write(std::span<const double> values) {
  SOTTO_REQUIRE_AT(std::ssize(values) <= left_, path_,
                   "{} values are more than its shape has room for", values.size());
  left_ -= std::ssize(values);
  if (item_size_ == 8) return file_.write(as_bytes(values));
  std::string bytes;
  append_raw_items(values, item_size_, bytes);
  file_.write(bytes);
}

void NpyWriter::commit() {
  SOTTO_REQUIRE_AT(left_ == 0, path_, "{} values of the array are missing", left_);
  file_.commit();
}

void append_raw_items(std::span<const double> values, Index item_size, std::string& bytes) {
  if (item_size == 8) {
    bytes += as_bytes(values);
    return;
  }
  const std::vector<float> floats(values.begin(), values.end());
  bytes.append(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
}

}  // namespace sotto
