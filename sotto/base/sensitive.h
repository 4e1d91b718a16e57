// Data that must not leave except through a release, and values that may.
//
// Sensitive<T> has no public accessor: it cannot be printed, compared, copied or converted. It is
// turned into something usable in three ways only:
//   - transform(f), whose result is Sensitive again; f must be stateless, so it cannot carry a
//     value out through a capture;
//   - release/ opens it (ReleaseAccess is defined and included there and nowhere else) and hands
//     back Released<T> together with a line in the certificate;
//   - the caller declares the data public, in writing, once: std::move(data).open(declaration).
//
// This guards against mistakes, not against intent: a function handed to transform() can still
// write to a global or a static, or to a file, and a reviewer has to see that it does not.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

namespace sotto {

struct ReleaseAccess;  // defined in release/ only

// The explicit statement that a data set may be used and shown freely.
class PublicDeclaration {
 public:
  explicit PublicDeclaration(std::string reason) : reason_(std::move(reason)) {}
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

template <class T>
class Sensitive {
 public:
  explicit Sensitive(T value) : value_(std::move(value)) {}
  Sensitive(Sensitive&&) noexcept = default;
  Sensitive& operator=(Sensitive&&) noexcept = default;
  Sensitive(const Sensitive&) = delete;
  Sensitive& operator=(const Sensitive&) = delete;

  template <class F>
  auto transform(F f) && {
    static_assert(std::is_empty_v<F>, "a function of sensitive data must not capture anything");
    using Result = std::invoke_result_t<F, T&&>;
    static_assert(!std::is_void_v<Result> && !std::is_reference_v<Result>,
                  "a function of sensitive data must return a new value");
    return Sensitive<Result>(f(std::move(value_)));
  }

  T open(const PublicDeclaration&) && { return std::move(value_); }

 private:
  friend struct ReleaseAccess;
  T value_;
};

// A value that has been paid for. Only release/ can make one; anyone may read it.
template <class T>
class Released {
 public:
  const T& value() const& { return value_; }
  T value() && { return std::move(value_); }

 private:
  friend struct ReleaseAccess;
  explicit Released(T value) : value_(std::move(value)) {}
  T value_;
};

}  // namespace sotto
