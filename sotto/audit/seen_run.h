// What an audit sees of one private run: all that may leave it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sotto/privacy/certificate.h"

namespace sotto::audit {

// A release: its numbers with their noise, in the order of the run.
struct SeenRelease {
  ReleaseRecord record;
  std::vector<double> numbers;
};

struct SeenRun {
  std::vector<SeenRelease> releases;
  std::map<std::string, double> published;  // numbers of the result, by their place in it
  // Words of the result and of releases, the message and the exit code: they are there or not.
  std::set<std::string> words;
};

// Runs over two neighbouring data sets, as many on each.
struct NeighbourRuns {
  std::vector<SeenRun> here, there;
  // Pairs of runs with the same noise: they show how far the releases lie apart without it.
  std::vector<std::pair<SeenRun, SeenRun>> same_noise;
  Certificate certificate;  // of a run on `here`
};

}  // namespace sotto::audit
