// The only source of secret randomness: ChaCha20 (RFC 8439) keyed by the operating system.
//
// A NoiseKey hands out numbered streams, each once. A stream is a function of (key, stream number,
// block number), so any part of it can be drawn again and any number of threads draws the same
// noise. Layout: Bernstein's ChaCha20 with the stream number as 64-bit nonce and the block number
// as 64-bit counter. About 2 GB/s a core.
//
// The key lives on its own page, locked in memory where the system allows, left out of core dumps
// and wiped when the key and its streams are gone. After fork() the child is refused: it would draw
// the parent's noise. Assumed: ChaCha20 is indistinguishable from uniform bits, and the operating
// system's generator is sound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace sotto {

class KeyPage;

// A numbered stream of secret 64-bit words. It can be moved but not copied: a mechanism takes it by
// value, so no stream can serve two releases by accident.
class NoiseStream {
 public:
  NoiseStream(NoiseStream&&) = default;
  NoiseStream& operator=(NoiseStream&&) = default;

  // Fills `words` (a multiple of 8) with blocks first_block, first_block + 1, ... of 8 words each.
  void blocks(std::uint64_t first_block, std::span<std::uint64_t> words) const;

  // Throws unless this process owns the key.
  void check() const;

 private:
  friend class NoiseKey;
  friend class WordSource;
  NoiseStream(std::shared_ptr<const KeyPage> page, std::uint64_t number)
      : page_(std::move(page)), number_(number) {}
  void read(std::uint64_t first_block, std::span<std::uint64_t> words) const;

  std::shared_ptr<const KeyPage> page_;
  std::uint64_t number_;
};

class NoiseKey {
 public:
  // Throws Fault::system when the operating system gives no randomness or no memory.
  static NoiseKey from_system();

  // For `--insecure-seed` and tests only: whoever knows the seed can subtract the noise, so a
  // certificate over such a key must say `none`.
  static NoiseKey insecure_from_seed(std::uint64_t seed);
  static NoiseKey from_system_or_seed(const std::optional<std::int64_t>& insecure_seed) {
    return insecure_seed ? insecure_from_seed(static_cast<std::uint64_t>(*insecure_seed))
                         : from_system();
  }
  static NoiseKey insecure_from_bytes(const std::array<std::uint8_t, 32>& bytes);

  NoiseKey(NoiseKey&&) = default;
  NoiseKey& operator=(NoiseKey&&) = default;

  bool secure() const { return secure_; }

  // A stream that this key has never handed out before. Streams are numbered in the order they are
  // opened, so open them from one thread.
  NoiseStream open_stream();

 private:
  NoiseKey(std::shared_ptr<const KeyPage> page, bool secure)
      : page_(std::move(page)), secure_(secure) {}

  std::shared_ptr<const KeyPage> page_;
  std::uint64_t next_stream_ = 0;
  bool secure_;
};

// Draws are grouped in chunks: chunk c of a stream owns its blocks c 2^32 .. (c+1) 2^32 - 1, more
// than rejection can use up, so that the noise of a chunk does not depend on any other.
inline constexpr std::size_t kChunk = 4096;

// Reads the words of one chunk in order. Must not live across a fork(), since the owner of the key
// is checked at the start only and buffered words would survive it; they are wiped at the end.
class WordSource {
 public:
  WordSource(const NoiseStream& stream, std::uint64_t chunk);
  ~WordSource();
  WordSource(const WordSource&) = delete;
  WordSource& operator=(const WordSource&) = delete;

  std::uint64_t operator()() {
    if (next_ == filled_) refill();
    return buffer_[next_++];
  }

 private:
  void refill();

  std::array<std::uint64_t, 256> buffer_{};
  std::size_t filled_ = 0;
  std::size_t next_ = 0;
  const NoiseStream& stream_;
  std::uint64_t block_;
};

// Calls body(words, begin, end) for each chunk of 0..count, on all OpenMP threads. What the chunk
// writes must depend on its own words and indices only.
void for_each_chunk(const NoiseStream& stream, std::size_t count,
                    const std::function<void(WordSource&, std::size_t, std::size_t)>& body);

}  // namespace sotto
