// Data that may leave only through a release, and values that may leave.
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

#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sotto/base/export.h"

namespace sotto {      // what follows stays inside the library
struct ReleaseAccess;  // defined in release/ only
class PrivateRun;      // release/private_run.h
}  // namespace sotto

namespace SOTTO_API sotto {

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

// What a task is given to work on: sensitive data, or data that was declared public. One type, so
// that a task has one path; a task refuses sensitive data without epsilon, and public data with it.
//
//   Input<Corpus> documents(read_corpus(path, file));                       // protected
//   Input<Corpus> abstracts(read_corpus(path, file), PublicDeclaration("published abstracts"));
template <class T>
class Input {
 public:
  Input(Sensitive<T> data) : data_(std::move(data)) {}  // NOLINT: implicit
  Input(Sensitive<T> data, PublicDeclaration declaration)
      : data_(std::move(data)), declaration_(std::move(declaration)) {}

  bool is_public() const { return declaration_.has_value(); }
  // A public fact about the input that belongs in the certificate: the format of its file.
  void add_public_fact(std::string fact) { public_facts_.push_back(std::move(fact)); }
  const std::vector<std::string>& public_facts() const { return public_facts_; }
  // Each is for one kind of input and throws for the other: check is_public() first.
  T open() && { return std::move(data_).open(declaration_.value()); }
  Sensitive<T> sensitive() && {
    if (declaration_) throw std::logic_error("this input was declared public");
    return std::move(data_);
  }

 private:
  Sensitive<T> data_;
  std::optional<PublicDeclaration> declaration_;
  std::vector<std::string> public_facts_;
};

// A value that has been paid for, which anyone may read. Private runs make it, and release/ makes
// others from it.
template <class T>
class Released {
 public:
  const T& value() const& { return value_; }
  T value() && { return std::move(value_); }

 private:
  friend struct ReleaseAccess;
  friend class PrivateRun;
  explicit Released(T value) : value_(std::move(value)) {}
  T value_;
};

}  // namespace sotto
