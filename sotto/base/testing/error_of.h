// What an action that must fail says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "sotto/base/error.h"

namespace sotto {

// The text of the Error that `action` throws, which must be one line; empty when it throws none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return {};
}

}  // namespace sotto
