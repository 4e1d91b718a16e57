// Noisy sums over users, unit: all ratings of one user. Which items a user rated is protected like
// the values.
//
// Neighbours add or remove one user; the list of items and the range of the values are public. A
// user contributes a vector of norm at most one to each release, however many ratings there are,
// so no bound on their number is needed and nobody is clipped:
// - levels: mean, mean square, 1 and a function of the number of ratings, 4 numbers;
// - item sums: the residual of each rating after the user's own level, and a constant, scaled so
//   that all of them together have norm one: 2 numbers an item;
// - time sums: the same added up within each time (day, week, month) of a public list;
// - pair moment: y y^T, y the residuals on a core of items, scaled to |y| = 1, symmetric.
// Gaussian noise, composed by GDP. After McSherry & Mironov (2009), with exact accounting. Cost:
// entries, and for the pair moment the sum over users of (core ratings)^2. Proof: private_users.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/sensitive.h"
#include "sotto/linalg/matrix.h"
#include "sotto/release/calibration.h"
#include "sotto/release/noisy.h"
#include "sotto/release/private_run.h"
#include "sotto/release/rating_sums.h"
#include "sotto/release/user_sums.h"
#include "sotto/tensor/observed.h"

namespace sotto {

// The public numbers of a run.
struct UserPlan {
  PrivacyTarget target;
  ValueBounds bounds;
  Index items;
  Index times = 0;     // of a public list; 0: time is not used
  Index per_user = 0;  // cap on the ratings of a user that count; 0: no cap
  Index users = 0;     // a public guess of their number, by which delta is judged; 0: none

  UserRules rules() const { return {bounds, items, times, per_user}; }
};

PrivacyStatement user_statement(const UserPlan& plan);

// The releases as plans and certificates call them.
constexpr const char* kUserLevels = "levels of the users";
constexpr const char* kItemSums = "sums of the ratings of each item";
constexpr const char* kTimeSums = "sums of the ratings of each time";
constexpr const char* kPairMoment = "pair moment of popular items";

// Levels, item sums or time sums that pay mu, as in a plan.
PlannedRelease planned_block(const char* what, std::int64_t numbers, double mu, double share);

class PrivateUsers {
 public:
  // Takes the ratings over: mode 0 the users, mode 1 the public items (kUnknownRow: not listed, not
  // counted), mode 2 the public times (kUnknownRow: none) where the plan has any. The run has
  // a budget, and must outlive this.
  PrivateUsers(Sensitive<ObservedEntries> ratings, const UserPlan& plan, PrivateRun& run);
  // Users whose ratings were read by the rules of this plan.
  PrivateUsers(Sensitive<Users> users, const UserPlan& plan, PrivateRun& run);

  const UserPlan& plan() const { return plan_; }
  double mu_left() const { return run_.mu_left(); }

  // Each release pays mu. Sums, not means.
  Released<Noisy<Vector>> levels(double mu);
  // items x 2: the residuals, and `constant` for each rating, with the same weights.
  Released<Noisy<Matrix>> item_sums(const UserCentre& centre, double constant, double mu);
  // times x 2, likewise.
  Released<Noisy<Matrix>> time_sums(const UserCentre& centre, double constant, double mu);
  Released<Noisy<Matrix>> pair_moment(const UserCentre& centre, std::span<const std::int32_t> core,
                                      double mu);

 private:
  void require_centre(const UserCentre& centre) const;
  std::vector<std::int64_t> sums(const UserQuestion& question);
  template <class Block>
  Released<Noisy<Block>> release(const char* what, double mu, Block sums);

  UserPlan plan_;
  Sensitive<Users> users_;
  PrivateRun& run_;
};

}  // namespace sotto
