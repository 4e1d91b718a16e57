// One private run: the key of its noise, its budget and its ledger, in one pair of hands.
//
// The one place where noise is drawn for data. Every release is charged to the budget, then drawn
// from a stream of its own, then recorded, in this order; certify() turns the records into the
// claim. Why the order matters, and what is denied: private_run.md. Cost: that of the mechanisms.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/privacy/budget.h"
#include "sotto/privacy/certificate.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/privacy/release_record.h"
#include "sotto/privacy/secure_stream.h"
#include "sotto/release/plan.h"
#include "sotto/release/tap.h"

namespace sotto {

// Noise on a block of numbers; `out` may be `exact` itself. What samples is none of these: noise on
// the whole would cost more than its record says.
template <class M>
concept NoiseMechanism = Recorded<M> && !SampledMechanism<M> &&
                         requires(const M& mechanism, std::span<const double> exact,
                                  NoiseStream stream, std::span<double> out) {
  mechanism.release(exact, std::move(stream), out);
};

// Noise that chooses: the answer is returned.
template <class M, class Data>
concept ChoiceMechanism = Recorded<M> &&
    requires(const M& mechanism, const Data& data, NoiseStream stream) {
  mechanism.release(data, std::move(stream));
};

// Releases that read disjoint sets of records: together they cost as much as the most expensive
// one (Ledger::add_to_group). Empty: a release that stands alone.
struct DisjointGroup {
  int number = 0;
};

// Of numbers that leave as they are: a line of infinite cost.
ReleaseRecord record_without_noise(const std::string& what, std::int64_t values);

class PrivateRun {
 public:
  // An insecure key is denied here, once. Every release must be one that the plan names, and no
  // more often than it says. Where the plan is held by a budget, every release is charged to it
  // before its noise is drawn; one that joins a disjoint group is charged in full, too.
  PrivateRun(const Plan& plan, NoiseKey key);

  // Without a plan, for tests of single mechanisms. Refuses a statement that promises a budget
  // where there is none or another.
  PrivateRun(PrivacyStatement statement, NoiseKey key);
  // Every release is charged to the budget before its noise is drawn; one that joins a disjoint
  // group is charged in full, too.
  PrivateRun(PrivacyStatement statement, NoiseKey key, Budget budget);

  // One owner, and one place: oracles hold on to it.
  PrivateRun(const PrivateRun&) = delete;
  PrivateRun& operator=(const PrivateRun&) = delete;

  template <NoiseMechanism M>
  void publish(const M& mechanism, std::span<const double> exact, std::span<double> out,
               DisjointGroup group = {}) {
    charge(mechanism.record());
    mechanism.release(exact, begin_drawing(), out);
    record(mechanism.record(), group);
    finish_drawing(mechanism.record(), out);
  }

  template <class Data, ChoiceMechanism<Data> M>
  auto choose(const M& mechanism, const Data& data, DisjointGroup group = {}) {
    charge(mechanism.record());
    auto chosen = mechanism.release(data, begin_drawing());
    record(mechanism.record(), group);
    finish_drawing(mechanism.record(), chosen);
    return chosen;
  }

  DisjointGroup open_disjoint_group() { return {ledger_.open_disjoint_group()}; }

  // A release that an earlier run of the same plan made: charged and recorded again, not drawn
  // again. Its stream is passed over, so that a key from a seed goes on as it would have.
  void replay(const ReleaseRecord& release, DisjointGroup group = {});

  // The guarantee becomes "none".
  void deny(const std::string& reason);

  // `values` numbers that leave as they are. A plan names them, too.
  void leave_without_noise(const std::string& what, std::int64_t values);

  // A stream for noise that no mechanism draws, in a run that was denied: published methods alone.
  NoiseStream noise_without_proof();

  // For releases that are chosen while the run goes on: only a budget can hold them.
  void require_budget() const;
  double mu_left() const;  // of the budget

  // Refuses a run in which a release was begun and not finished: nobody knows what it showed.
  Certificate certify() const;

 private:
  friend class PlannedReleases;

  PrivateRun(PrivacyStatement statement, NoiseKey key, std::optional<Budget> budget);

  void require_planned(const ReleaseRecord& release);
  void charge(const ReleaseRecord& release);
  // What throws between these two, the record included, leaves the run unfinished for good.
  NoiseStream begin_drawing();
  template <class Contents>
  void finish_drawing(const ReleaseRecord& release, Contents&& contents) {
    tap(release, contents_of(contents));
    unfinished_ = false;
  }
  void record(const ReleaseRecord& release, DisjointGroup group);

  NoiseKey key_;
  std::optional<Budget> budget_;
  std::optional<std::map<std::string, std::int64_t>> planned_;  // releases left, by name
  Ledger ledger_;
  bool denied_ = false;
  bool unfinished_ = false;
};

// Releases whose number and cost are fixed before the first of them. All are charged and recorded
// at once, then drawn one by one; a run that stops early claims more than it drew, never less.
class PlannedReleases {
 public:
  // `all.count` of them, or `count` like one. The run must outlive this.
  PlannedReleases(PrivateRun& run, const ReleaseRecord& all);
  PlannedReleases(PrivateRun& run, ReleaseRecord one, std::int64_t count);
  PlannedReleases(const PlannedReleases&) = delete;
  PlannedReleases& operator=(const PlannedReleases&) = delete;

  std::int64_t left() const { return left_; }

  // The next of them; refused after the last.
  template <NoiseMechanism M>
  void publish(const M& mechanism, std::span<const double> exact, std::span<double> out) {
    take();
    mechanism.release(exact, run_.begin_drawing(), out);
    run_.finish_drawing(mechanism.record(), out);
  }

  // The same over a fresh sample of 0..records-1: sum(sample) writes the exact block into `block`,
  // which then becomes noisy.
  template <SampledMechanism M, class Sum>
  void publish_sampled(const M& mechanism, std::int64_t records, Sum sum, std::span<double> block) {
    take();
    sum(mechanism.sample(records, run_.key_.open_stream()));
    mechanism.release(block, run_.begin_drawing(), block);
    run_.finish_drawing(mechanism.record(), block);
  }

 private:
  void take();

  PrivateRun& run_;
  std::int64_t left_;
};

}  // namespace sotto
