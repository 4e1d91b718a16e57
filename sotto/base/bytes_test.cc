#include "sotto/base/bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"

namespace sotto {
namespace {

std::string written() {
  ByteWriter bytes;
  bytes.integer(-7);
  bytes.real(0.1);
  bytes.text("a part");
  bytes.reals(std::vector{1.5, -2.5});
  return std::move(bytes).sealed();
}

TEST(Bytes, are_read_as_they_were_written) {
  const std::string sealed = written();
  ByteReader bytes(sealed, "bytes");
  EXPECT_EQ(bytes.integer(), -7);
  EXPECT_EQ(bytes.real(), 0.1);
  EXPECT_EQ(bytes.text(), "a part");
  EXPECT_EQ(bytes.reals(), (std::vector{1.5, -2.5}));
  EXPECT_NO_THROW(bytes.require_end());
  EXPECT_THROW(bytes.integer(), Error);
}

TEST(Bytes, refuse_every_change_and_every_cut) {
  const std::string sealed = written();
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string altered = sealed;
    altered[i] = static_cast<char>(altered[i] ^ 1);
    EXPECT_THROW(ByteReader(altered, "bytes"), Error) << i;
    EXPECT_THROW(ByteReader(std::string_view(sealed).substr(0, i), "bytes"), Error) << i;
  }
}

// Blocks, zeros and whole numbers that move, appear or go.
TEST(Bytes, refuse_changes_of_long_parts) {
  const auto sealed_reals = [](const std::vector<double>& values) {
    ByteWriter bytes;
    bytes.reals(values);
    return std::move(bytes).sealed();
  };
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sqrt(double(i));
  const std::string sealed = sealed_reals(values);
  const std::size_t sum = sealed.size() - 8;
  const auto refused = [&](std::string altered) {
    EXPECT_THROW(ByteReader(altered, "bytes"), Error);
  };
  for (std::size_t bit = 0; bit < 8 * sealed.size(); bit += 13) {
    std::string altered = sealed;
    altered[bit / 8] = static_cast<char>(altered[bit / 8] ^ (1 << bit % 8));
    refused(altered);
  }
  for (const std::size_t apart : {8u, 32u, 64u, 800u}) {
    std::string altered = sealed;
    std::swap_ranges(altered.begin() + 400, altered.begin() + 408, altered.begin() + 400 + apart);
    refused(altered);
    altered = sealed;
    altered.erase(400, apart);
    refused(altered);
    altered = sealed;
    altered.insert(sum, std::string(apart, '\0'));
    refused(altered);
    altered = sealed;
    std::fill_n(altered.begin() + 400, apart, '\0');
    refused(altered);
  }
  EXPECT_NO_THROW(ByteReader(sealed, "bytes"));
}

// A length is checked before memory is taken for it.
TEST(Bytes, refuse_a_length_that_is_not_there) {
  ByteWriter bytes;
  bytes.integer(std::int64_t{1} << 60);
  const std::string sealed = std::move(bytes).sealed();
  ByteReader texts(sealed, "bytes"), reals(sealed, "bytes"), rest(sealed, "bytes");
  EXPECT_THROW(texts.text(), Error);
  EXPECT_THROW(reals.reals(), Error);
  EXPECT_THROW(rest.require_end(), Error);
}

}  // namespace
}  // namespace sotto
