// Opens a file or standard input ("-") of points in any known format, recognised by its content.
//
// Raw numbers cannot be recognised: they are read as such when --dtype or --format raw says so, or
// when the input is not text and --dim is given.
// Privacy: none here; the caller wraps what belongs to persons as Sensitive.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sotto/base/options.h"
#include "sotto/tensor/point_source.h"

namespace sotto {

struct PointFileOptions {
  std::string format = "auto";  // npy, csv, raw, uci, lda-c, svmlight
  std::optional<std::int64_t> dim;
  std::string dtype = "auto";  // f4, f8

  OptionTable table();
};

std::unique_ptr<PointSource> open_points(const std::string& path,
                                         const PointFileOptions& options = {});

}  // namespace sotto
