#include "sotto/privacy/secure_stream.h"

#include <sodium.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "sotto/base/error.h"
#include "sotto/base/parallel.h"
#include "sotto/base/system_random.h"

namespace sotto {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as little-endian bytes");
static_assert(crypto_stream_chacha20_KEYBYTES == 32 && crypto_stream_chacha20_NONCEBYTES == 8);

[[noreturn]] void fail(const char* message) { throw Error(message, "noise", Fault::system); }

}  // namespace

class KeyPage {
 public:
  KeyPage() : owner_(getpid()) {
    void* page = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) fail("no memory for the key");
    key_ = static_cast<std::uint8_t*>(page);
    // Each is best effort: stay out of swap, of core dumps, and of a child's memory.
    mlock(key_, kBytes);
    madvise(key_, kBytes, MADV_DONTDUMP);
    madvise(key_, kBytes, MADV_WIPEONFORK);
    key_[kMark] = 1;
  }
  ~KeyPage() {
    sodium_memzero(key_, kBytes);
    munlock(key_, kBytes);
    munmap(key_, kBytes);
  }
  KeyPage(const KeyPage&) = delete;
  KeyPage& operator=(const KeyPage&) = delete;

  std::uint8_t* bytes() { return key_; }
  const std::uint8_t* bytes() const { return key_; }

  void check_owner() const {
    check_mark();
    if (getpid() != owner_) refuse();
  }

  // Without a system call, and also where process numbers repeat, but only where the kernel wipes
  // the page of a child. A wiped key is a known key and must never be used.
  void check_mark() const {
    if (key_[kMark] != 1) refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    fail("a key cannot be used after fork(); make a new key in the child");
  }

  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kMark = 32;  // behind the key; zero once the page is wiped
  std::uint8_t* key_;
  pid_t owner_;
};

NoiseKey NoiseKey::from_system() {
  start_sodium();
  auto page = std::make_shared<KeyPage>();
  fill_from_system({page->bytes(), crypto_stream_chacha20_KEYBYTES});
  return NoiseKey(std::move(page), true);
}

NoiseKey NoiseKey::insecure_from_bytes(const std::array<std::uint8_t, 32>& bytes) {
  start_sodium();
  auto page = std::make_shared<KeyPage>();
  std::copy(bytes.begin(), bytes.end(), page->bytes());
  return NoiseKey(std::move(page), false);
}

NoiseKey NoiseKey::insecure_from_seed(std::uint64_t seed) {
  std::array<std::uint8_t, 32> bytes{};
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(seed >> (8 * i));
  return insecure_from_bytes(bytes);
}

NoiseStream NoiseKey::open_stream() {
  SOTTO_REQUIRE(page_ != nullptr, "this noise key has been moved away");
  page_->check_owner();
  return NoiseStream(page_, next_stream_++);
}

void NoiseStream::check() const {
  SOTTO_REQUIRE(page_ != nullptr, "this noise stream has already been used");
  page_->check_owner();
}

void NoiseStream::blocks(std::uint64_t first_block, std::span<std::uint64_t> words) const {
  check();
  SOTTO_REQUIRE(words.size() % 8 == 0, "a stream is read in blocks of 8 words, got {}",
                words.size());
  read(first_block, words);
}

void NoiseStream::read(std::uint64_t first_block, std::span<std::uint64_t> words) const {
  page_->check_mark();
  std::array<std::uint8_t, 8> nonce{};
  for (int i = 0; i < 8; ++i) nonce[i] = static_cast<std::uint8_t>(number_ >> (8 * i));
  auto* bytes = reinterpret_cast<unsigned char*>(words.data());
  std::fill(words.begin(), words.end(), 0);  // the keystream is what ChaCha20 makes of zeros
  crypto_stream_chacha20_xor_ic(bytes, bytes, words.size_bytes(), nonce.data(), first_block,
                                page_->bytes());
}

WordSource::WordSource(const NoiseStream& stream, std::uint64_t chunk)
    : stream_(stream), block_(chunk << 32) {
  SOTTO_REQUIRE(chunk < (std::uint64_t{1} << 32), "a stream has 2^32 chunks, asked for chunk {}",
                chunk);
  stream.check();
}

WordSource::~WordSource() { sodium_memzero(buffer_.data(), sizeof(buffer_)); }

void WordSource::refill() {
  filled_ = filled_ == 0 ? buffer_.size() / 4 : buffer_.size();  // small releases need few words
  stream_.read(block_, std::span(buffer_).first(filled_));
  block_ += filled_ / 8;
  next_ = 0;
}

void for_each_chunk(const NoiseStream& stream, std::size_t count,
                    const std::function<void(WordSource&, std::size_t, std::size_t)>& body) {
  stream.check();
  const std::size_t chunks = (count + kChunk - 1) / kChunk;
  SOTTO_REQUIRE(chunks <= (std::size_t{1} << 32), "too many draws from one stream: {}", count);
  parallel_for(static_cast<std::ptrdiff_t>(chunks), {0, chunks > 1}, [&](std::ptrdiff_t n) {
    const auto c = static_cast<std::size_t>(n);
    WordSource words(stream, c);
    body(words, c * kChunk, std::min(count, (c + 1) * kChunk));
  });
}

}  // namespace sotto
