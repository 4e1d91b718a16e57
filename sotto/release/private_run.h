// One private run: the key of its noise, its budget and its ledger, with one owner.
//
// This is the only place where noise is drawn for data. Every release is charged to the budget,
// then drawn from a stream of its own, then recorded, in this order; certify() turns the records
// into the claim. Why the order matters, and what is denied a guarantee: private_run.md. Cost: that
// of the mechanisms.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/base/sensitive.h"
#include "sotto/privacy/budget.h"
#include "sotto/privacy/certificate.h"
#include "sotto/privacy/mechanism.h"
#include "sotto/privacy/release_record.h"
#include "sotto/privacy/secure_stream.h"
#include "sotto/release/noisy.h"
#include "sotto/release/observer.h"
#include "sotto/release/plan.h"
#include "sotto/release/tap.h"

namespace sotto {

class Reservation;
struct TargetOptions;

// Releases that read disjoint sets of records: together they cost as much as the most expensive one
// (Ledger::add_to_group). Empty: a release outside any group.
struct DisjointGroup {
  int number = 0;
};

// The record of numbers that leave without noise: a line of infinite cost.
ReleaseRecord record_without_noise(const std::string& what, std::int64_t values);

class PrivateRun {
 public:
  // An insecure key is denied a guarantee here, once. The plan must name every release, and the run
  // makes none more often than the plan says. If the plan is held by a budget, every release is
  // charged to it before its noise is drawn, in full even if it joins a disjoint group.
  PrivateRun(const Plan& plan, NoiseKey key);
  // The same with the key of the options. Where these name a ledger, the run needs a place in it
  // that no other run has used, and certify() settles it. An observer of the options sees what is
  // released.
  PrivateRun(const Plan& plan, const TargetOptions& options);

  // Without a plan, for tests of single mechanisms. Refuses a statement that promises a budget if
  // there is none or a different one.
  PrivateRun(const PrivacyStatement& statement, NoiseKey key);
  // Every release is charged to the budget before its noise is drawn, in full even if it joins a
  // disjoint group.
  PrivateRun(const PrivacyStatement& statement, NoiseKey key, Budget budget);

  // Not copied or moved: oracles keep a reference to it.
  PrivateRun(const PrivateRun&) = delete;
  PrivateRun& operator=(const PrivateRun&) = delete;

  // The block with noise added. Charged, then drawn, then recorded, here only.
  template <class Block, Mechanism<Block> M>
  Released<Noisy<Block>> publish(const M& mechanism, Block exact, DisjointGroup group = {}) {
    charge(mechanism.record());
    Block noisy = mechanism.release(std::move(exact), begin_drawing());
    record(mechanism.record(), group);
    finish_drawing(mechanism.record(), span_over(noisy));
    return released(noisy_block(std::move(noisy), mechanism));
  }

  // The answer that a mechanism chose from the data, with noise.
  template <class Data, Mechanism<const Data&> M>
  auto choose(const M& mechanism, const Data& data, DisjointGroup group = {}) {
    charge(mechanism.record());
    auto chosen = mechanism.release(data, begin_drawing());
    record(mechanism.record(), group);
    finish_drawing(mechanism.record(), chosen);
    return released(std::move(chosen));
  }

  DisjointGroup open_disjoint_group() { return {ledger_.open_disjoint_group()}; }

  // A release that an earlier run of the same plan made: charged and recorded again, not drawn
  // again. Its stream is skipped, so that a key from a seed continues as it would have.
  void replay(const ReleaseRecord& release, DisjointGroup group = {});

  // The guarantee becomes "none". Refused where a ledger counts the run.
  void deny(const std::string& reason);

  // `values` numbers that leave without noise. A plan names them, too.
  void leave_without_noise(const std::string& what, std::int64_t values);

  // A stream for noise that no mechanism draws, in a run that was denied a guarantee: only for
  // published methods.
  NoiseStream noise_without_proof();

  // Refuses a larger share of the budget than the plan gives to one release of this name.
  void require_share(const std::string& what, double share) const;

  // For releases that are chosen during the run: only a budget can limit them.
  void require_budget() const;
  double mu_left() const;  // of the budget

  // Refuses a run in which a release was begun and not finished: what it showed is unknown.
  Certificate certify() const;

 private:
  friend class PlannedReleases;

  PrivateRun(const PrivacyStatement& statement, NoiseKey key, std::optional<Budget> budget);

  void require_planned(const ReleaseRecord& release);
  void charge(const ReleaseRecord& release);
  // An exception between these two, the record included, leaves the run unfinished for good.
  NoiseStream begin_drawing();
  template <class Contents>
  void finish_drawing(const ReleaseRecord& release, Contents&& contents) {
    const ReleaseContents shown = contents_of(contents);
    tap(release, shown);
    if (observer_) observer_->released(release, shown);
    unfinished_ = false;
  }
  void record(const ReleaseRecord& release, DisjointGroup group);

  template <class Block, class M>
  static Noisy<Block> noisy_block(Block block, const M& mechanism) {
    return {std::move(block), std::sqrt(mechanism.variance()), mechanism.variance()};
  }
  template <class T>
  static Released<T> released(T value) {
    return Released<T>(std::move(value));
  }

  NoiseKey key_;
  std::optional<Budget> budget_;
  // What the plan still allows under a name.
  struct Allowed {
    std::int64_t count = 0;
    std::int64_t values = 0;  // of one release; 0: any number
    double share = 0;         // of one release
  };
  std::optional<std::map<std::string, Allowed>> planned_;
  Ledger ledger_;
  std::shared_ptr<Reservation> reservation_;
  std::shared_ptr<ReleaseObserver> observer_;  // of an audit; else none
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

  // The next of them. Refused after the last.
  template <class Block, Mechanism<Block> M>
  Released<Noisy<Block>> publish(const M& mechanism, Block exact) {
    take();
    return draw(mechanism, std::move(exact));
  }

  // The same over a fresh sample of 0..records-1: sum(sample) is the exact block.
  template <SampledMechanism M, class Sum>
  auto publish_sampled(const M& mechanism, std::int64_t records, Sum sum) {
    take();
    return draw(mechanism, sum(mechanism.sample(records, run_.key_.open_stream())));
  }

 private:
  void take();

  template <class Block, class M>
  Released<Noisy<Block>> draw(const M& mechanism, Block exact) {
    Block noisy = mechanism.release(std::move(exact), run_.begin_drawing());
    run_.finish_drawing(mechanism.record(), span_over(noisy));
    return PrivateRun::released(PrivateRun::noisy_block(std::move(noisy), mechanism));
  }

  PrivateRun& run_;
  std::int64_t left_;
};

}  // namespace sotto
