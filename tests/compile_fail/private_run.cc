// Ways around a private run that must not compile (release/private_run.h).
#include <string>
#include <utility>
#include <vector>

#include "sotto/privacy/laplace.h"
#include "sotto/privacy/subsampled_gaussian.h"
#include "sotto/release/private_run.h"

using namespace sotto;
using Block = std::vector<double>;

struct NoiseWithoutRecord {
  double variance() const { return 1; }
  Block release(Block block, NoiseStream) const { return block; }
};

// A choice must be something that a tape can hold (release/tap.h).
template <class Answer>
struct Choice {
  const ReleaseRecord& record() const { return line; }
  Answer release(int, NoiseStream) const { return {}; }
  ReleaseRecord line;
};

const auto sum_of_sample = [](const auto&) { return Block{1}; };

void right_ways(PrivateRun& run, PlannedReleases& paid, const LaplaceMechanism& mechanism,
                const SubsampledGaussianMechanism& sampled) {
  run.publish(mechanism, Block{1});
  run.choose(Choice<double>{}, 1);
  paid.publish(mechanism, Block{1});
  paid.publish_sampled(sampled, 10, sum_of_sample);
}

void wrong_ways(PrivateRun& run, PlannedReleases& paid, const LaplaceMechanism& mechanism,
                const SubsampledGaussianMechanism& sampled, Block& exact, NoiseStream& stream) {
  // The same noise, or the same charge, twice.
  PrivateRun copy(run);                    // error: use of deleted function
  PrivateRun moved(std::move(run));        // error: use of deleted function
  PlannedReleases again(paid);             // error: use of deleted function
  PlannedReleases taken(std::move(paid));  // error: use of deleted function
  NoiseStream same(stream);                // error: use of deleted function

  // Noise without a charge, a charge without noise, and what was never released.
  run.begin_drawing();                       // error: is private within this context
  run.key_.open_stream();                    // error: is private within this context
  run.record(mechanism.record(), {});        // error: is private within this context
  PrivateRun::released(exact);               // error: is private within this context
  run.publish(NoiseWithoutRecord{}, exact);  // error: no matching function for call to
  run.publish(mechanism, std::span(exact));  // error: no matching function for call to
  run.choose(Choice<std::string>{}, 1);      // error: no matching function for call to 'contents_of

  // The discount of a sample for a sum over everybody.
  run.publish(sampled, exact);                         // error: no matching function
  paid.publish(sampled, exact);                        // error: no matching function
  paid.publish_sampled(mechanism, 10, sum_of_sample);  // error: no matching function
}
