#include "sotto/base/bytes.h"

#include <gtest/gtest.h>

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
