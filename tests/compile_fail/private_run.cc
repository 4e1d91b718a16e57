// Ways around a private run that must not compile (release/private_run.h).
#include <string>
#include <utility>

#include "sotto/privacy/laplace.h"
#include "sotto/privacy/subsampled_gaussian.h"
#include "sotto/release/private_run.h"

using namespace sotto;

struct NoiseWithoutRecord {
  void release(std::span<const double>, NoiseStream, std::span<double>) const {}
};

// What is chosen must be something that a tape can hold (release/tap.h).
template <class Answer>
struct Choice {
  const ReleaseRecord& record() const { return line; }
  Answer release(int, NoiseStream) const { return {}; }
  ReleaseRecord line;
};

void right_ways(PrivateRun& run, PlannedReleases& paid, const LaplaceMechanism& mechanism,
                const SubsampledGaussianMechanism& sampled, std::span<double> block) {
  run.publish(mechanism, block, block);
  run.choose(Choice<double>{}, 1);
  paid.publish(mechanism, block, block);
  paid.publish_sampled(
      sampled, 10, [](const auto&) {}, block);
}

#ifdef SHOULD_NOT_COMPILE
void wrong_ways(PrivateRun& run, PlannedReleases& paid, const LaplaceMechanism& mechanism,
                const SubsampledGaussianMechanism& sampled, std::span<double> block,
                NoiseStream& stream) {
  // The same noise, or the same charge, twice.
  PrivateRun copy(run);                    // error: use of deleted function
  PrivateRun moved(std::move(run));        // error: use of deleted function
  PlannedReleases again(paid);             // error: use of deleted function
  PlannedReleases taken(std::move(paid));  // error: use of deleted function
  NoiseStream same(stream);                // error: use of deleted function

  // Noise without a charge, a charge without noise.
  run.begin_drawing();                              // error: is private within this context
  run.key_.open_stream();                           // error: is private within this context
  run.record(mechanism.record(), {});               // error: is private within this context
  run.publish(NoiseWithoutRecord{}, block, block);  // error: no matching function for call to
  run.choose(Choice<std::string>{}, 1);  // error: no matching function for call to 'contents_of

  // The discount of a sample for a sum over everybody.
  run.publish(sampled, block, block);   // error: no matching function for call to
  paid.publish(sampled, block, block);  // error: no matching function for call to
  const auto sum = [](const auto&) {};
  paid.publish_sampled(mechanism, 10, sum, block);  // error: no matching function for call to
}
#endif
