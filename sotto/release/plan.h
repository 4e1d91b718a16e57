// What a private run will release, decided from public numbers before a record is read.
//
// `--plan` prints it, and the run is made from it: PrivateRun(plan, key) refuses a release that is
// not in the plan, so that the run does what was announced. The public numbers are here too.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"
#include "sotto/privacy/certificate.h"

namespace SOTTO_API sotto {

class Budget;

// A public target for a run.
struct PrivacyTarget {
  double epsilon = 0;
  double delta = 0;

  // For Gaussian releases that are chosen during the run.
  Budget budget() const;
};

// What is public about the data that a run reads.
struct PublicShape {  // of a tensor d x .. x d
  Index dim;
  int order;
};
// Refuses, naming `place`, a shape that is not d x .. x d of order 3 or 4, or too large to pack.
PublicShape require_shape(const std::vector<Index>& dims, const std::string& place);

// The dimensions of any tensor.
struct PublicDims {
  explicit PublicDims(std::vector<Index> sizes) : dims(std::move(sizes)) {}
  explicit PublicDims(const PublicShape& shape)
      : dims(static_cast<std::size_t>(shape.order), shape.dim) {}

  // Their product. The dims must have been checked.
  Index entries() const;

  std::vector<Index> dims;
};
// Refuses, naming `place`: orders other than 3 to 8, a mode of one row, more than 2^32 entries.
void require_dims(const PublicDims& dims, const std::string& place);
inline constexpr Index kMostEntries = Index{1} << 32;

struct PublicStream {
  Index dim = 0;
  std::optional<Index> records;
  std::string name;           // for messages
  bool random_access = true;  // whether records can be read in any order
};

// `words` is zero for a vocabulary that was read off the documents:
// it must be chosen privately first (private_vocabulary.h).
struct PublicCorpusShape {
  Index documents;
  Index words;
};
// A file of points before it is read. The number of records is known if the file states it.
struct PublicPointShape {
  Index dim = 0;
  std::optional<Index> records;
  std::string name = "the points";  // for messages
};

struct PlannedRelease {
  std::string what;         // as in the record of the release
  std::string mechanism;    // "gaussian", "laplace", "exponential", ...
  std::int64_t values = 1;  // numbers in one release; 0 where their number is itself released
  std::int64_t count = 1;   // the largest number of releases of this name
  double share = 0;         // of the budget; the shares of a plan sum to at most 1, see `disjoint`
  std::optional<double>
      noise;  // standard deviation or scale of a number, where it is fixed already
  // The unit of `noise`, for example "max-norm^2"; empty for plain numbers. Where the noise is not
  // fixed yet: what it depends on; empty for earlier releases.
  std::string noise_unit;
  // The release reads its own records. Together the disjoint releases cost as much as the most
  // expensive one, so each may have the same share.
  bool disjoint = false;
};

// A release whose noise is known before the data is read.
PlannedRelease planned(const ReleaseRecord& record, double share, std::int64_t count = 1);

// What the run will use, given or chosen: {"starts", 12}, {"mechanism", "iterate"}.
struct PlannedSetting {
  std::string key;
  std::variant<std::int64_t, double, std::string> value;
};

// What can be expected of the result, by public numbers. `sentence` is for people, `key` for
// programs.
struct Forecast {
  std::string key;
  std::optional<double> value;  // none: there is no such number
  std::string sentence;
};

struct Plan {
  PrivacyStatement statement;
  PrivacyTarget target;
  std::string method;  // "noise on every iteration"
  std::vector<PlannedSetting> settings;
  std::vector<PlannedRelease> releases;
  std::vector<Forecast> forecasts;
  // Whether a budget limits the releases during the run. It must where the noise or the number of
  // releases is chosen during the run, and the statement then promises the budget.
  bool held_by_budget = false;
  double pure_epsilon = 0;  // of that budget: what pure releases may cost together
  std::string unread = "no record was read";  // what the plan was made without

  nlohmann::ordered_json to_json() const;
  std::string to_text() const;  // several lines, ends without a newline
};

}  // namespace sotto
