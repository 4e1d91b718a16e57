// A release of a plan from the record of the mechanism that will make it, so that what is announced
// and what is drawn are one thing.
#pragma once

#include "sotto/privacy/release_record.h"
#include "sotto/release/plan.h"

namespace sotto {

inline PlannedRelease planned(const ReleaseRecord& record, std::int64_t count, double share) {
  return {record.what, record.mechanism, record.values, count, share, record.noise, {}};
}

}  // namespace sotto
