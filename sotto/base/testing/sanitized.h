// Whether this program runs under a sanitizer, several to a hundred times slower than without:
// tests then make the same steps over less.
#pragma once

// GCC says it by a macro, Clang by a feature. (Eigen defines __has_feature, as 0, where the
// compiler does not.)
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOTTO_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SOTTO_SANITIZED
#endif
#endif

namespace sotto {

#ifdef SOTTO_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// `whole`, or `less` under a sanitizer.
template <class T>
constexpr T unless_sanitized(T whole, T less) {
  return kSanitized ? less : whole;
}

}  // namespace sotto
