// Audits every mechanism on its worst-case neighbours, as it is and with a fault planted in it:
//
//   audit_mechanisms RUNS [NAMES..]    prints one line of JSON for each mechanism and fault
//
// Only for tests. The faults are those that a change to the code might bring: a fifth of the noise
// missing, a contribution that is not clipped, noise that is drawn again from the same key, the
// same stream for two releases, a count beside the release.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "sotto/audit/audit.h"
#include "sotto/base/json.h"
#include "sotto/privacy/exponential.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/privacy/laplace.h"
#include "sotto/privacy/subsampled_gaussian.h"
#include "sotto/privacy/vector.h"

namespace {

using namespace sotto;
using audit::NeighbourRuns;
using audit::SeenRelease;
using audit::SeenRun;

constexpr double kDelta = 1e-5;
constexpr double kTails = 1e-200;  // of pure mechanisms, for what their samplers cut off

struct Fault {
  std::string name;
  double noise = 1;         // share of the noise that is drawn
  double contribution = 1;  // of the record that neighbours differ in, where 1 is allowed
  bool same_key = false;
  bool same_stream = false;
  bool count = false;
  std::uint64_t key = 1;  // the one that is used again
};

const Fault kNone{"none"};
const Fault kLessNoise{"noise cut by 20%", 0.8};
const Fault kNoClip{"clip dropped", 1, 1.5};
const Fault kSameKey{"key reused", 1, 1, true};
const Fault kSameStream{"stream reused", 1, 1, false, true};
const Fault kCount{"count in the clear", 1, 1, false, false, true};

// The streams of one run.
class Streams {
 public:
  Streams(std::uint64_t seed, const Fault& fault)
      : seed_(fault.same_key ? fault.key : seed), same_stream_(fault.same_stream), key_(make()) {}
  NoiseStream open() {
    if (same_stream_) key_ = make();
    return key_.open_stream();
  }

 private:
  NoiseKey make() const { return NoiseKey::insecure_from_seed(seed_); }
  std::uint64_t seed_;
  bool same_stream_;
  NoiseKey key_;
};

// The releases of one run; `there`: with the record that makes the difference.
using ReleaseOnce = std::function<std::vector<SeenRelease>(bool there, Streams&)>;

// A mechanism on neighbours.
struct Audited {
  std::string name;
  std::vector<Fault> faults;
  bool adds_or_removes;
  double delta;
  // Makes the mechanism with a fault.
  std::function<ReleaseOnce(const Fault&)> make;
};

SeenRun seen(const ReleaseOnce& release, const Fault& fault, bool there, std::uint64_t seed) {
  Streams streams(seed, fault);
  SeenRun run{release(there, streams), {}, {"exit code 0"}};
  if (fault.count) run.published["records"] = there ? 1001 : 1000;
  return run;
}

Certificate certificate_of(const Audited& audited) {
  PrivacyStatement statement;
  statement.unit = "one record";
  statement.adds_or_removes = audited.adds_or_removes;
  statement.delta = audited.delta;
  Ledger ledger(statement);
  Streams streams(1, kNone);
  for (const SeenRelease& release : audited.make(kNone)(false, streams)) ledger.add(release.record);
  return ledger.certify();
}

// A single choice with one key is the same on both sides for many keys, and with these nothing
// shows.
Fault with_telling_key(const ReleaseOnce& release, Fault fault) {
  const auto chosen = [&](bool there) {
    return seen(release, fault, there, fault.key).releases.front().numbers;
  };
  while (fault.same_key && chosen(false) == chosen(true)) ++fault.key;
  return fault;
}

NeighbourRuns runs_of(const Audited& audited, const Fault& planted, std::int64_t count) {
  const ReleaseOnce release = audited.make(planted);
  const Fault fault = with_telling_key(release, planted);
  NeighbourRuns runs;
  runs.certificate = certificate_of(audited);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    runs.same_noise.emplace_back(seen(release, fault, false, seed),
                                 seen(release, fault, true, seed));
  }
  for (std::int64_t n = 0; n < count; ++n) {
    const auto seed = static_cast<std::uint64_t>(1000 + 2 * n);
    runs.here.push_back(seen(release, fault, false, seed));
    runs.there.push_back(seen(release, fault, true, seed + 1));
  }
  return runs;
}

// What is claimed is that of `claimed`, what is drawn that of `drawn`.
template <class Mechanism>
SeenRelease released(const Mechanism& claimed, const Mechanism& drawn, std::vector<double> value,
                     Streams& streams) {
  return {claimed.record(), drawn.release(std::move(value), streams.open())};
}

std::vector<double> unit_vector(std::size_t size, double length) {
  std::vector<double> value(size);
  value[size / 2] = length;
  return value;
}

const std::vector<Fault> kAllFaults{kNone, kLessNoise, kNoClip, kSameKey, kCount};

Audited gaussian() {
  return {"gaussian", kAllFaults, false, kDelta, [](const Fault& fault) -> ReleaseOnce {
            constexpr double kNoise = 1 / 3.0;
            const GaussianMechanism claimed("block", 1, kNoise, 20);
            const GaussianMechanism drawn("block", 1, kNoise * fault.noise, 20);
            return [=](bool there, Streams& s) {
              return std::vector{
                  released(claimed, drawn, unit_vector(20, there ? fault.contribution : 0), s)};
            };
          }};
}

Audited two_gaussians() {
  return {"gaussian, two releases",
          {kNone, kLessNoise, kNoClip, kSameKey, kSameStream, kCount},
          false,
          kDelta,
          [](const Fault& fault) -> ReleaseOnce {
            constexpr double kNoise = 0.5;
            const GaussianMechanism claimed("block", 1, kNoise, 5);
            const GaussianMechanism drawn("block", 1, kNoise * fault.noise, 5);
            return [=](bool there, Streams& s) {
              const double length = there ? fault.contribution : 0;
              std::vector<double> second = unit_vector(5, 0);
              second[0] = length;
              return std::vector{released(claimed, drawn, unit_vector(5, length), s),
                                 released(claimed, drawn, second, s)};
            };
          }};
}

Audited symmetric_gaussian() {
  return {"gaussian, symmetric", kAllFaults, false, kDelta, [](const Fault& fault) -> ReleaseOnce {
            constexpr double kNoise = 1 / 3.0;
            const SymmetricGaussianMechanism claimed("tensor", 1, kNoise, 4, 3);
            const SymmetricGaussianMechanism drawn("tensor", 1, kNoise * fault.noise, 4, 3);
            return [=](bool there,
                       Streams& s) {  // The sixth of 20 unique entries stands for six equal ones.
              std::vector<double> value(20);
              value[5] = (there ? fault.contribution : 0) / std::sqrt(6);
              return std::vector{released(claimed, drawn, value, s)};
            };
          }};
}

Audited laplace() {
  return {"laplace", kAllFaults, false, kTails, [](const Fault& fault) -> ReleaseOnce {
            constexpr double kScale = 0.5;
            const LaplaceMechanism claimed("number", 1, kScale, 1);
            const LaplaceMechanism drawn("number", 1, kScale * fault.noise, 1);
            return [=](bool there, Streams& s) {
              return std::vector{
                  released(claimed, drawn, unit_vector(1, there ? fault.contribution : 0), s)};
            };
          }};
}

Audited laplace_block() {
  return {"laplace, block", kAllFaults, false, kTails, [](const Fault& fault) -> ReleaseOnce {
            constexpr double kScale = 0.5;
            const LaplaceMechanism claimed("block", 1, kScale, 8);
            const LaplaceMechanism drawn("block", 1, kScale * fault.noise, 8);
            return [=](bool there, Streams& s) {
              return std::vector{
                  released(claimed, drawn, unit_vector(8, there ? fault.contribution : 0), s)};
            };
          }};
}

Audited vector() {
  return {"vector", kAllFaults, false, kTails, [](const Fault& fault) -> ReleaseOnce {
            constexpr double kBeta = 2;
            const VectorMechanism claimed("block", 1, kBeta, 2);
            const VectorMechanism drawn("block", 1, kBeta / fault.noise, 2);
            return [=](bool there, Streams& s) {
              return std::vector{
                  released(claimed, drawn, unit_vector(2, there ? fault.contribution : 0), s)};
            };
          }};
}

// Five steps over samples of ten records, of which the last makes the difference.
Audited subsampled() {
  return {"gaussian, subsampled", kAllFaults, true, kDelta, [](const Fault& fault) -> ReleaseOnce {
            constexpr double kNoise = 0.5, kRate = 0.3;
            const SubsampledGaussianMechanism claimed(GaussianMechanism("sum", 1, kNoise, 3), kRate,
                                                      10);
            const SubsampledGaussianMechanism drawn(
                GaussianMechanism("sum", 1, kNoise * fault.noise, 3), kRate, 10);
            return [=](bool there, Streams& s) {
              std::vector<SeenRelease> releases;
              for (int step = 0; step < 5; ++step) {
                std::vector<double> sum(3);
                for (const std::size_t record : drawn.sample(10, s.open())) {
                  if (record == 9 && there) sum[1] += fault.contribution;
                }
                releases.push_back({claimed.record(), drawn.release(sum, s.open())});
              }
              return releases;
            };
          }};
}

// The score of one candidate falls, those of all others rise.
Audited exponential() {
  return {"exponential", kAllFaults, false, kTails, [](const Fault& fault) -> ReleaseOnce {
            constexpr double kEpsilon = 3;
            const ExponentialMechanism claimed("choice", kEpsilon, 1, 10);
            const ExponentialMechanism drawn("choice", kEpsilon / fault.noise, 1, 10);
            return [=](bool there, Streams& s) {
              std::vector<double> scores(30, there ? fault.contribution : 0);
              scores[0] = there ? 0 : fault.contribution;
              const auto chosen = static_cast<double>(drawn.release(scores, s.open()));
              return std::vector{SeenRelease{claimed.record(), {chosen}}};
            };
          }};
}

// 8 of 20 records lie below nearly all points and 8 above all of them. One that moves from below to
// above makes most points worse, and the hundredth that is left better.
Audited quantile() {
  return {"quantile", kAllFaults, false, kTails, [](const Fault& fault) -> ReleaseOnce {
            constexpr double kEpsilon = 3;
            const PrivateQuantile claimed("bound", kEpsilon, 0.5, 0, 1, 20);
            const PrivateQuantile drawn("bound", kEpsilon / fault.noise, 0.5, 0, 1, 20);
            return [=](bool there, Streams& s) {
              const int moved = there ? (fault.contribution > 1 ? 2 : 1) : 0;
              std::vector<double> values;
              for (int i = 0; i < 20; ++i)
                values.push_back(i < 8 - moved ? 0 : i < 12 - moved ? 0.99 : 1);
              return std::vector{SeenRelease{claimed.record(), {drawn.release(values, s.open())}}};
            };
          }};
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t runs = argc > 1 ? std::atoll(argv[1]) : 4000;
  const std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  for (const Audited& audited :
       {gaussian(), two_gaussians(), symmetric_gaussian(), laplace(), laplace_block(), vector(),
        subsampled(), exponential(), quantile()}) {
    const bool is_asked =
        names.empty() || std::find(names.begin(), names.end(), audited.name) != names.end();
    for (const Fault& fault : is_asked ? audited.faults : std::vector<Fault>()) {
      Json json = audit::audit(runs_of(audited, fault, runs)).to_json();
      json["mechanism"] = audited.name;
      json["fault"] = fault.name;
      fmt::print("{}\n", json_text(json));
      std::fflush(stdout);
    }
  }
  return 0;
}
