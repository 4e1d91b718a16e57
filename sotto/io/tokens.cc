#include "sotto/io/tokens.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sotto {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The first character of a text that is not empty. Overlong forms, surrogates and numbers beyond
// U+10FFFF are not valid.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  if (byte(0) < 0x80) return {byte(0), 1, true};
  const std::size_t bytes = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : 2;
  if (byte(0) < 0xc2 || byte(0) > 0xf4 || text.size() < bytes) return {};
  char32_t code = byte(0) & (0x7fu >> bytes);
  for (std::size_t n = 1; n < bytes; ++n) {
    if ((byte(n) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(n) & 0x3f);
  }
  constexpr char32_t least[] = {0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[bytes - 2] || code > 0x10ffff || surrogate) return {};
  return {code, bytes, true};
}

bool is_ascii_word(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

struct Range {
  char32_t first, last;
};

// Characters beyond ASCII that separate words.
constexpr std::array separators = {
    Range{0x80, 0xa9},     Range{0xab, 0xb4},       Range{0xb6, 0xb9},  // Latin-1, but not
    Range{0xbb, 0xbf},     Range{0xd7, 0xd7},       Range{0xf7, 0xf7},  // its letters
    Range{0x37e, 0x37e},   Range{0x387, 0x387},     Range{0x55a, 0x55f},
    Range{0x589, 0x58a},   Range{0x5be, 0x5be},     Range{0x5f3, 0x5f4},
    Range{0x600, 0x60f},   Range{0x61b, 0x61f},     Range{0x66a, 0x66d},
    Range{0x6d4, 0x6d4},   Range{0x964, 0x965},     Range{0x2000, 0x200b},
    Range{0x200e, 0x206f},  // without the joiners inside words
    Range{0x207a, 0x207e}, Range{0x208a, 0x208e},   Range{0x20a0, 0x20cf},
    Range{0x2190, 0x2bff},  // arrows to symbols
    Range{0x2e00, 0x2e7f}, Range{0x3000, 0x3004},   Range{0x3008, 0x3020},
    Range{0x3030, 0x3030}, Range{0x30fb, 0x30fb},   Range{0xe000, 0xf8ff},
    Range{0xfe10, 0xfe1f}, Range{0xfe30, 0xfe6f},   Range{0xfeff, 0xff0f},
    Range{0xff1a, 0xff20}, Range{0xff3b, 0xff40},   Range{0xff5b, 0xff65},
    Range{0xffe0, 0xffff}, Range{0x1f000, 0x1faff}, Range{0xe0000, 0x10ffff},
};

bool is_word(const Character& c) {
  if (!c.valid) return false;
  if (c.code < 0x80) return is_ascii_word(c.code);
  const auto range = std::lower_bound(separators.begin(), separators.end(), c.code,
                                      [](const Range& r, char32_t code) { return r.last < code; });
  return range == separators.end() || c.code < range->first;
}

constexpr bool is_within(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}

char32_t lower(char32_t c) {
  if (c < 0x80) return is_within(c, 'A', 'Z') ? c + 32 : c;
  if (c < 0x100) return is_within(c, 0xc0, 0xde) && c != 0xd7 ? c + 32 : c;
  if (c < 0x180) {  // pairs of capital and small, but for a few
    if (c == 0x130 || c == 0x138 || c == 0x149) return c == 0x130 ? 'i' : c;
    if (c == 0x178) return 0xff;
    const bool odd_capitals = is_within(c, 0x139, 0x148) || is_within(c, 0x179, 0x17e);
    return c < 0x17f && (c % 2 == 1) == odd_capitals ? c + 1 : c;
  }
  if (c == 0x386) return 0x3ac;
  if (is_within(c, 0x388, 0x38a)) return c + 37;
  if (c == 0x38c) return 0x3cc;
  if (is_within(c, 0x38e, 0x38f)) return c + 63;
  if (is_within(c, 0x391, 0x3ab) && c != 0x3a2) return c + 32;
  if (is_within(c, 0x400, 0x40f)) return c + 80;
  if (is_within(c, 0x410, 0x42f)) return c + 32;
  if (is_within(c, 0x460, 0x481) || is_within(c, 0x48a, 0x4bf)) return c | 1;
  if (is_within(c, 0x4d0, 0x52f)) return c | 1;
  if (is_within(c, 0x531, 0x556)) return c + 48;
  return c;
}

// All that lower() gives has at most two bytes where it changed anything.
void append_lower(std::string_view bytes, char32_t code, std::string& text) {
  const char32_t small = lower(code);
  if (small == code) {
    text += bytes;
  } else if (small < 0x80) {
    text += static_cast<char>(small);
  } else {
    text += static_cast<char>(0xc0 | small >> 6);
    text += static_cast<char>(0x80 | (small & 0x3f));
  }
}

}  // namespace

bool Tokens::next(std::string& token) {
  token.clear();
  length_ = 0;
  while (!rest_.empty()) {
    const Character c = first_character(rest_);
    const std::string_view bytes = rest_.substr(0, c.bytes);
    const bool part = is_word(c);
    if (!part && length_ > 0) return true;
    rest_.remove_prefix(c.bytes);
    if (!part) continue;
    ++length_;
    if (lower_) {
      append_lower(bytes, c.code, token);
    } else {
      token += bytes;
    }
  }
  return length_ > 0;
}

std::string lower_case(std::string_view text) {
  std::string small;
  while (!text.empty()) {
    const Character c = first_character(text);
    append_lower(text.substr(0, c.bytes), c.valid ? c.code : U'\0', small);
    text.remove_prefix(c.bytes);
  }
  return small;
}

}  // namespace sotto
