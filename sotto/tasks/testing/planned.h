// For tests: what a plan announces and what a certificate shows, in the same form.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "sotto/privacy/certificate.h"
#include "sotto/release/plan.h"

namespace sotto {

// By name: how often, with which mechanism, and how many numbers each.
using ReleaseCounts = std::map<std::string, std::tuple<std::int64_t, std::string, std::int64_t>>;

inline void count_release(ReleaseCounts& counts, const std::string& what, std::int64_t count,
                          const std::string& mechanism, std::int64_t values) {
  auto& [so_far, how, numbers] = counts[what];
  so_far += count;
  how = mechanism;
  numbers = values;
}

inline ReleaseCounts releases_of(const Plan& plan) {
  ReleaseCounts counts;
  for (const PlannedRelease& release : plan.releases) {
    count_release(counts, release.what, release.count, release.mechanism, release.values);
  }
  return counts;
}

inline ReleaseCounts releases_of(const Certificate& certificate) {
  ReleaseCounts counts;
  for (const auto& [record, parallel] : certificate.releases) {
    count_release(counts, record.what, record.count, record.mechanism, record.values);
  }
  return counts;
}

}  // namespace sotto
