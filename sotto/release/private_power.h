// The private power method, entry unit (Wang & Anandkumar 2016, Algorithm 3, and a stricter form).
//
// Neighbours (their Definition 4.2, where X = 1): T' - T = +-t symmetrize(e_i x e_j x ..),
// 0 <= t <= X, the sum over all p! orders. X is declared (EntryBounds::change). A private method is
// the solver of decompose/ over an oracle from here: its answers carry noise, and whatever the
// solver does with them is post-processing.
//
// - strict: one Gaussian release for each answer, the whole block of L starts together. Sensitivity
//   X p! sqrt(max_i sum_l u_il^(2(p-1))) for products, X p! sqrt(max_i sum_l u_il^(2p)) for values,
//   both attained. k (R+1) releases, mu-GDP exactly.
// - as published: each start and iteration is a release of its own with the paper's noise. The
//   certificate shows what the paper claims and what the noise really costs.
// - input perturbation: the tensor once, with isometric noise; sensitivity X p! in Frobenius norm.
//
// Cost: the noise is O(dL) an answer. Proof, floating point included: private_power.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sotto/base/enum_names.h"
#include "sotto/base/sensitive.h"
#include "sotto/release/calibration.h"
#include "sotto/release/privacy_options.h"
#include "sotto/release/private_entries.h"
#include "sotto/release/private_run.h"
#include "sotto/release/protected_tensor.h"
#include "sotto/tensor/oracle.h"

namespace sotto {

// The public numbers of a run.
struct PowerShape {
  Index dim;
  int order;
  std::int64_t components;
  std::int64_t starts;
  std::int64_t iterations;

  std::int64_t answers() const { return components * (iterations + 1); }
};

// order! for order 3 or 4: how often a product of distinct numbers occurs in a symmetric tensor.
inline double factorial(int order) { return order == 3 ? 6 : 24; }

// nu of Algorithm 3: p! (Wang & Anandkumar: 6) or 2 (Imtiaz & Sarwate) times
// sqrt(2 ln(1.25/delta')) / epsilon'.
double published_nu(const PowerShape& shape, const PrivacyTarget& target, Published how);

// Everything about the noise of a run, fixed before the data is read.
struct PowerNoise {
  PowerShape shape{};
  PrivacyTarget target{};
  Published published = Published::no;
  double change = 1;     // X, the largest change of an entry
  double max_entry = 0;  // entries are clipped to +- this
  double scale = 0;      // strict: deviation over charged sensitivity; published: X nu
};

// If `max_entry` of the bounds is empty, it is the largest bound at which rounding adds at most 1%
// to the noise of products.
PowerNoise plan_power_noise(const PowerShape& shape, const PrivacyTarget& target,
                            Published published, const EntryBounds& bounds = {});

// L2 sensitivity of the block of products (power p - 1) or values (power p), for X = 1.
double block_sensitivity(const Matrix& block, int order, int power);

// How many entries are protected.
ProtectedUnits entry_units(const PublicShape& shape);

// What the certificate states about the entry unit.
PrivacyStatement entry_statement(const PowerNoise& noise);
PrivacyStatement entry_statement(const PublicShape& shape, const PrivacyTarget& target,
                                 const EntryBounds& bounds = {});

// What a run of the oracle releases: limited by a budget unless it is as published.
Plan plan_power(const PowerNoise& noise);

// The lines of the certificate for all releases as published: products and values.
struct PublishedPowerRecords {
  ReleaseRecord products;
  ReleaseRecord values;
};
PublishedPowerRecords published_records(const PowerNoise& noise);

// Answers with noise, each a release of the run. Refuses more answers than planned.
class PrivatePowerOracle final : public SymmetricOracle {
 public:
  // Takes the tensor over. The run must outlive the oracle, and has a budget unless the noise is as
  // published. In that case `records` may replace published_records(), for a run of another unit.
  PrivatePowerOracle(Sensitive<SymmetricTensor> tensor, const PowerNoise& noise, PrivateRun& run,
                     const std::optional<PublishedPowerRecords>& records = {});
  // The same noise on the answers of a public tensor, for studies. Borrows the oracle.
  PrivatePowerOracle(SymmetricOracle& exact, const PowerNoise& noise, PrivateRun& run);
  ~PrivatePowerOracle() override;

  Index dim() const override { return noise_.shape.dim; }
  int order() const override { return noise_.shape.order; }
  Matrix contract(const Matrix& block) override;
  Vector values(const Matrix& block) override;

 private:
  struct Held;  // the tensor, clipped to its bound, and its exact oracle

  void start(const std::optional<PublishedPowerRecords>& records);
  void expect(const Matrix& block, std::int64_t& left);
  Matrix release(const Matrix& block, int power, Matrix answer,
                 std::optional<PlannedReleases>& planned);
  Released<Noisy<Matrix>> release_block(const Matrix& block, int power, Matrix answer);
  Matrix release_columns(const Matrix& block, int power, Matrix answer, PlannedReleases& planned);

  PowerNoise noise_;
  PrivateRun& run_;
  std::unique_ptr<Held> held_;
  SymmetricOracle* exact_;
  std::int64_t products_left_;
  std::int64_t values_left_;
  // As published: every start of every answer is a release.
  std::optional<PlannedReleases> published_products_;
  std::optional<PlannedReleases> published_values_;
};

// One release of the whole tensor. What is done with it is post-processing.
Released<Noisy<SymmetricTensor>> release_tensor(Sensitive<SymmetricTensor> tensor,
                                                const PrivacyTarget& target, PrivateRun& run,
                                                const EntryBounds& bounds = {});

// The plan of a run that makes this one release, with its noise.
Plan plan_tensor(const PublicShape& shape, const PrivacyTarget& target,
                 const EntryBounds& bounds = {});

// The noise, in isometric coordinates.
double tensor_deviation(const PublicShape& shape, const PrivacyTarget& target, double change = 1);

}  // namespace sotto
