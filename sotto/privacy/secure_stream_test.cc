#include "sotto/privacy/secure_stream.h"

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <type_traits>
#include <vector>

#include "sotto/base/error.h"
#include "sotto/privacy/testing/goodness.h"

namespace sotto {
namespace {

std::array<std::uint8_t, 32> counting_bytes() {
  std::array<std::uint8_t, 32> bytes;
  for (int i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return bytes;
}

// The n-th stream of a key: streams are numbered in the order they are opened.
NoiseStream stream_number(NoiseKey& key, int number) {
  for (int i = 0; i < number; ++i) key.open_stream();
  return key.open_stream();
}

std::vector<std::uint64_t> chunk_words(const NoiseStream& stream, std::uint64_t chunk, int count) {
  WordSource words(stream, chunk);
  std::vector<std::uint64_t> out(count);
  for (auto& w : out) w = words();
  return out;
}

// RFC 8439, A.1: all-zero key and nonce, block counters 0 and 1.
TEST(SecureStream, gives_the_first_blocks_of_rfc_8439) {
  NoiseKey key = NoiseKey::insecure_from_bytes({});
  const NoiseStream stream = key.open_stream();
  std::array<std::uint64_t, 16> words;
  stream.blocks(0, words);
  const std::array<std::uint8_t, 16> first = {0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90,
                                              0x40, 0x5d, 0x6a, 0xe5, 0x53, 0x86, 0xbd, 0x28};
  const std::array<std::uint8_t, 8> second = {0x9f, 0x07, 0xe7, 0xbe, 0x55, 0x51, 0x38, 0x7a};
  EXPECT_EQ(std::memcmp(words.data(), first.data(), first.size()), 0);
  EXPECT_EQ(std::memcmp(words.data() + 8, second.data(), second.size()), 0);
}

// The naive twin: ChaCha20's block function as RFC 8439 writes it, over words 12 to 15 of the
// state.
std::array<std::uint32_t, 16> naive_block(const std::array<std::uint8_t, 32>& key,
                                          const std::array<std::uint32_t, 4>& tail) {
  std::array<std::uint32_t, 16> start = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  std::memcpy(&start[4], key.data(), 32);
  std::copy(tail.begin(), tail.end(), start.begin() + 12);
  auto s = start;
  const auto add_xor_rotate = [&](int a, int b, int c, int bits) {
    s[a] += s[b];
    s[c] = std::rotl(s[c] ^ s[a], bits);
  };
  const auto quarter_round = [&](int a, int b, int c, int d) {
    add_xor_rotate(a, b, d, 16);
    add_xor_rotate(c, d, b, 12);
    add_xor_rotate(a, b, d, 8);
    add_xor_rotate(c, d, b, 7);
  };
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 4; ++i) quarter_round(i, i + 4, i + 8, i + 12);
    for (int i = 0; i < 4; ++i)
      quarter_round(i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
  }
  for (int i = 0; i < 16; ++i) s[i] += start[i];
  return s;
}

// RFC 8439, 2.3.2.
TEST(SecureStream, naive_twin_meets_the_rfc) {
  const auto block = naive_block(counting_bytes(), {1, 0x09000000, 0x4a000000, 0});
  EXPECT_EQ(block[0], 0xe4e7f110u);
  EXPECT_EQ(block[1], 0x15593bd1u);
  EXPECT_EQ(block[15], 0x4e3c50a2u);
}

TEST(SecureStream, stream_number_is_the_nonce_and_block_number_the_counter) {
  NoiseKey key = NoiseKey::insecure_from_bytes(counting_bytes());
  const NoiseStream stream = stream_number(key, 3);
  for (std::uint64_t block : {0ull, 1ull, 0xffffffffull, 0x0900000000000001ull}) {
    std::array<std::uint64_t, 8> words;
    stream.blocks(block, words);
    const auto naive =
        naive_block(counting_bytes(), {std::uint32_t(block), std::uint32_t(block >> 32), 3, 0});
    EXPECT_EQ(std::memcmp(words.data(), naive.data(), 64), 0) << block;
  }
}

TEST(SecureStream, counter_carries_inside_one_call) {
  NoiseKey key = NoiseKey::insecure_from_seed(1);
  const NoiseStream stream = key.open_stream();
  std::vector<std::uint64_t> together(8 * 40), apart(8);
  stream.blocks(0xfffffff0, together);
  for (int b = 0; b < 40; ++b) {
    stream.blocks(0xfffffff0ull + b, apart);
    EXPECT_TRUE(std::equal(apart.begin(), apart.end(), together.begin() + 8 * b)) << b;
  }
}

TEST(SecureStream, chunk_can_be_drawn_again) {
  NoiseKey key = NoiseKey::insecure_from_seed(2);
  const NoiseStream stream = key.open_stream();
  const auto once = chunk_words(stream, 7, 2000);
  EXPECT_EQ(once, chunk_words(stream, 7, 2000));
  EXPECT_NE(once, chunk_words(stream, 8, 2000));
}

TEST(SecureStream, word_source_reads_the_chunk_without_gap_or_repeat) {
  NoiseKey key = NoiseKey::insecure_from_seed(2);
  const NoiseStream stream = key.open_stream();
  std::vector<std::uint64_t> straight(2000);
  stream.blocks(std::uint64_t{7} << 32, straight);
  EXPECT_EQ(chunk_words(stream, 7, 2000), straight);
}

TEST(SecureStream, never_hands_out_a_stream_twice) {
  NoiseKey key = NoiseKey::from_system();
  std::set<std::uint64_t> first_words;
  for (int i = 0; i < 1000; ++i) first_words.insert(chunk_words(key.open_stream(), 0, 1)[0]);
  EXPECT_EQ(first_words.size(), 1000u);
}

TEST(SecureStream, system_keys_differ_and_are_secure) {
  NoiseKey a = NoiseKey::from_system(), b = NoiseKey::from_system();
  EXPECT_NE(chunk_words(a.open_stream(), 0, 4), chunk_words(b.open_stream(), 0, 4));
  EXPECT_TRUE(a.secure());
}

TEST(SecureStream, seeded_key_repeats_and_knows_it_is_insecure) {
  NoiseKey a = NoiseKey::insecure_from_seed(5), b = NoiseKey::insecure_from_seed(5);
  EXPECT_EQ(chunk_words(a.open_stream(), 0, 4), chunk_words(b.open_stream(), 0, 4));
  EXPECT_FALSE(a.secure());
  const NoiseKey moved = std::move(a);
  EXPECT_FALSE(moved.secure());
}

TEST(SecureStream, cannot_be_copied) {
  static_assert(!std::is_copy_constructible_v<NoiseKey> && !std::is_copy_assignable_v<NoiseKey>);
  static_assert(!std::is_copy_constructible_v<NoiseStream>);
  static_assert(!std::is_copy_constructible_v<WordSource> &&
                !std::is_move_constructible_v<WordSource>);
}

TEST(SecureStream, refuses_what_has_been_moved_away) {
  NoiseKey key = NoiseKey::from_system();
  NoiseStream stream = key.open_stream();
  const NoiseStream kept = std::move(stream);
  EXPECT_THROW(stream.check(), Error);
  const NoiseKey other = std::move(key);
  EXPECT_THROW(key.open_stream(), Error);
  EXPECT_NO_THROW(kept.check());
}

TEST(SecureStream, outlives_its_key) {
  std::vector<std::uint64_t> expected;
  const NoiseStream stream = [&] {
    NoiseKey key = NoiseKey::insecure_from_seed(9);
    NoiseStream s = key.open_stream();
    expected = chunk_words(s, 0, 10);
    return s;
  }();
  EXPECT_EQ(chunk_words(stream, 0, 10), expected);
}

// In a child process: 0 if `use` is refused with a system fault, else something else.
template <class Use>
int exit_code_in_child(Use use) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 1;
    try {
      use();
    } catch (const Error& e) {
      code = e.fault() == Fault::system ? 0 : 2;
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SecureStream, refuses_to_serve_a_forked_child) {
  NoiseKey key = NoiseKey::from_system();
  const NoiseStream stream = key.open_stream();
  EXPECT_EQ(exit_code_in_child([&] { key.open_stream(); }), 0);
  EXPECT_EQ(exit_code_in_child([&] { chunk_words(stream, 0, 1); }), 0);
  EXPECT_EQ(exit_code_in_child([&] { for_each_chunk(stream, 10, [](auto&&...) {}); }), 0);
  EXPECT_NO_THROW(chunk_words(stream, 0, 1));
}

// The kernel wipes the key's page in a child, so even a reader that was open is stopped.
TEST(SecureStream, open_reader_cannot_be_refilled_in_a_forked_child) {
  NoiseKey key = NoiseKey::from_system();
  const NoiseStream stream = key.open_stream();
  WordSource words(stream, 0);
  words();
  EXPECT_EQ(exit_code_in_child([&] {
              for (int i = 0; i < 1000; ++i) words();
            }),
            0);
}

TEST(SecureStream, child_may_make_its_own_key) {
  EXPECT_EQ(exit_code_in_child([] { chunk_words(NoiseKey::from_system().open_stream(), 0, 1); }),
            1);
}

TEST(SecureStream, is_the_same_for_any_number_of_threads) {
  NoiseKey key = NoiseKey::insecure_from_seed(3);
  const NoiseStream stream = key.open_stream();
  const auto draw = [&](int threads) {
    std::vector<std::uint64_t> out(5 * kChunk + 17);
    omp_set_num_threads(threads);
    for_each_chunk(stream, out.size(), [&](WordSource& words, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = words();
    });
    return out;
  };
  const auto alone = draw(1);
  for (int threads : {2, 3, 8}) EXPECT_EQ(draw(threads), alone) << threads;
  omp_set_num_threads(omp_get_num_procs());
}

TEST(SecureStream, bits_are_balanced_and_bytes_uniform) {
  NoiseKey key = NoiseKey::insecure_from_seed(4);
  std::vector<double> bytes(256), probability(256, 1.0 / 256);
  double ones = 0;
  const auto words = chunk_words(key.open_stream(), 0, 200000);
  for (std::uint64_t w : words) {
    ones += std::popcount(w);
    for (int i = 0; i < 8; ++i) ++bytes[w >> (8 * i) & 255];
  }
  EXPECT_GT(testing::normal_p((ones - 6.4e6) / std::sqrt(1.28e7 / 4)), testing::kAlpha);
  EXPECT_GT(testing::chi_square_p(bytes, probability), testing::kAlpha);
}

}  // namespace
}  // namespace sotto
