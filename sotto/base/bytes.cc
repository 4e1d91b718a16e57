#include "sotto/base/bytes.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "sotto/base/error.h"

namespace sotto {
namespace {

// Not the fault of whoever gave the input: bytes come from another part of the program.
void require(bool holds, const std::string& what, const char* message) {
  if (!holds) throw Error(message, what, Fault::system);
}

// Four sums run side by side, each over every fourth number of 8 bytes. Every step is invertible in
// the number and in the sum before it, so a change of numbers of one sum alone always shows, and
// any other with probability 1 - 2^-64 or so. Many times as fast as a cryptographic digest, which
// nobody needs here.
std::uint64_t checksum(std::string_view bytes) {
  constexpr std::size_t kSums = 4, kBlock = kSums * sizeof(std::uint64_t);
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  std::uint64_t sums[kSums] = {1, 2, 3, 4};
  const auto add = [&](const char* block) {
    std::uint64_t numbers[kSums];
    std::memcpy(numbers, block, kBlock);
    for (std::size_t s = 0; s < kSums; ++s) {
      sums[s] = std::rotl((sums[s] ^ numbers[s]) * kOdd, 29);
    }
  };
  std::size_t done = 0;
  for (; done + kBlock <= bytes.size(); done += kBlock) add(bytes.data() + done);
  char rest[kBlock] = {};
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(done), bytes.end(), rest);
  add(rest);
  std::uint64_t whole = bytes.size();
  for (const std::uint64_t sum : sums) {
    whole = (whole ^ sum) * kOdd;
    whole ^= whole >> 32;
  }
  return whole;
}

}  // namespace

void ByteWriter::raw(const void* bytes, std::size_t count) {
  // With room for the checksum, for which what was written would else be moved.
  bytes_.reserve(bytes_.size() + count + sizeof(std::uint64_t));
  bytes_.append(static_cast<const char*>(bytes), count);
}

void ByteWriter::integer(std::int64_t value) { raw(&value, sizeof value); }
void ByteWriter::real(double value) { raw(&value, sizeof value); }

void ByteWriter::text(std::string_view value) {
  integer(std::ssize(value));
  raw(value.data(), value.size());
}

void ByteWriter::reals(std::span<const double> values) {
  integer(std::ssize(values));
  raw(values.data(), values.size_bytes());
}

std::string ByteWriter::sealed() && {
  const std::uint64_t sum = checksum(bytes_);
  raw(&sum, sizeof sum);
  return std::move(bytes_);
}

ByteReader::ByteReader(std::string_view sealed, std::string what) : what_(std::move(what)) {
  constexpr std::size_t length = sizeof(std::uint64_t);
  require(sealed.size() >= length, what_, "is cut short");
  left_ = sealed.substr(0, sealed.size() - length);
  const std::uint64_t sum = checksum(left_);
  require(std::memcmp(&sum, sealed.data() + left_.size(), length) == 0, what_,
          "was altered on its way: its checksum is wrong");
}

std::string_view ByteReader::raw(std::size_t count) {
  require(count <= left_.size(), what_, "ends too early");
  const std::string_view bytes = left_.substr(0, count);
  left_.remove_prefix(count);
  return bytes;
}

std::string_view ByteReader::counted(std::size_t item_size) {
  const std::int64_t count = integer();
  require(count >= 0 && static_cast<std::size_t>(count) <= left_.size() / item_size, what_,
          "ends too early");
  return raw(static_cast<std::size_t>(count) * item_size);
}

std::int64_t ByteReader::integer() {
  std::int64_t value;
  std::memcpy(&value, raw(sizeof value).data(), sizeof value);
  return value;
}

double ByteReader::real() {
  double value;
  std::memcpy(&value, raw(sizeof value).data(), sizeof value);
  return value;
}

std::string ByteReader::text() { return std::string(counted(1)); }

std::vector<double> ByteReader::reals() {
  const std::string_view bytes = counted(sizeof(double));
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void ByteReader::require_end() const { require(left_.empty(), what_, "goes on after its end"); }

}  // namespace sotto
