// The options of a private run: epsilon, delta, the source of its noise, and the options of each
// protected unit: an entry, a record, a rating or a user (a document: models/topic_options.h).
// Nothing here looks at data.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sotto/base/enum_names.h"
#include "sotto/base/export.h"
#include "sotto/base/options.h"
#include "sotto/privacy/certificate.h"
#include "sotto/privacy/run_statement.h"
#include "sotto/release/plan.h"

namespace SOTTO_API sotto {

class NoiseKey;
class ReleaseObserver;
class Reservation;

// The options of every unit.
struct TargetOptions {
  std::optional<double> epsilon;
  std::optional<double> delta;
  bool accept_large_delta = false;
  std::optional<std::int64_t> insecure_seed;
  std::string ledger;  // file: what all runs over the same data may cost; empty: none
  bool ledger_given = false;
  std::string ledger_data;  // the name of the data there
  std::shared_ptr<Reservation> reservation;
  std::string protects, contact, purpose;  // words for the certificate
  std::string sign;                        // file: the key that signs the result; empty: none
  std::string day;                         // on which the run began
  std::shared_ptr<const SigningKey> signing_key;
  std::shared_ptr<ReleaseObserver> observer;  // of an audit (release/observer.h); no option sets it

  bool asked() const { return epsilon.has_value(); }
  PrivacyTarget target() const;
  NoiseKey key() const;

  // Refuses a delta that was asked for and is not below 1/units, unless it was accepted. Call it
  // before anything is released.
  void require_small_delta(const ProtectedUnits& units) const;

  // Takes a place in the ledger, where there is one: call it when the options have been checked and
  // before a record is read. `unit` is "document", "record", "rating", "user", "entry" or "person".
  // A run without a place is refused, so this cannot be forgotten.
  // The files beside the input are opened first: one that is missing must not cost anything. Reads
  // the key, too, and notes the day.
  void reserve(const std::string& command, const std::string& unit,
               const std::vector<std::string>& inputs, const std::vector<std::string>& others = {});
  void reserve(const std::string& command, const std::string& unit, const std::string& input,
               const std::vector<std::string>& others = {}) {
    reserve(command, unit, std::vector{input}, others);
  }
  // The result is complete: the run counts with what it cost. Without this it counts with all that
  // it asked for.
  void commit() const;
  // The words, the day, the standing in the ledger and the key, for the result.
  RunStatement stated() const;

 protected:
  OptionTable target_table(const std::string& epsilon_help, const std::string& delta_help);

  // An option that only a private run has, and whether it was given.
  struct OnlyPrivate {
    const char* option;
    bool given;
  };
  // Without --epsilon, refuses these and the options above.
  void check_target(std::initializer_list<OnlyPrivate> others) const;
  // For mechanisms that are not pure.
  void require_delta_given() const;
  // A run that proves nothing cannot be counted.
  void require_no_ledger(const char* option) const;
};

// ---- one entry of a tensor ----

// Whose noise: that of this library, or that of a paper.
enum class Published { no, wang, imtiaz };
constexpr auto enum_names(Published) {
  return std::to_array<EnumName<Published>>(
      {{Published::no, "off"}, {Published::wang, "wang"}, {Published::imtiaz, "imtiaz"}});
}

// Where the noise is added. A run uses one of the last two.
enum class PowerMechanism { automatic, iterate, input };
constexpr auto enum_names(PowerMechanism) {
  return std::to_array<EnumName<PowerMechanism>>({{PowerMechanism::automatic, "auto"},
                                                  {PowerMechanism::iterate, "iterate"},
                                                  {PowerMechanism::input, "input"}});
}

struct EntryPrivacyOptions : TargetOptions {
  PowerMechanism mechanism = PowerMechanism::automatic;
  Published as_published = Published::no;
  double entry_change = 1;  // neighbours differ in one entry, by at most this
  std::optional<double> max_entry;
  std::optional<double> weight;  // that components are expected to have: a public guess
  bool anyway = false;           // run even if the signal is not expected to stand out

  OptionTable table();

  // Refuses what cannot be combined; without epsilon, every option that only privacy has.
  void check() const;
};

// ---- one record of a stream or a file of points ----

// Where the bound is chosen from: a public range, 0 < low < high.
struct NormRange {
  double low;
  double high;
};

// The norm of records is bounded by a public number, or by one that is chosen privately from a
// public range.
using RecordNorm = std::variant<double, NormRange>;

struct RecordPrivacyOptions : TargetOptions {
  std::optional<double> max_norm;
  std::string norm_range;  // LO:HI, instead of max_norm

  OptionTable table();

  // Refuses what cannot be combined; without epsilon, every option that only privacy has.
  void check() const;

  RecordNorm norm() const;
  void set_norm(const RecordNorm& norm);
};

// ---- one rating, or all ratings of one user ----

// A public range of the values; values outside are clipped to it.
struct ValueBounds {
  double low, high;
  double width() const { return high - low; }
  double half() const { return (high - low) / 2; }
  double middle() const { return low + half(); }
  // The value less the middle. It never exceeds +-half(), whatever is rounded: sensitivities rest
  // on this.
  double centred(double x) const;
  // Refuses a bad range, and ranges so narrow or wide that squares leave the range of doubles.
  void check() const;
};

// What is protected.
enum class RatingUnit { rating, user };
constexpr auto enum_names(RatingUnit) {
  return std::to_array<EnumName<RatingUnit>>(
      {{RatingUnit::rating, "rating"}, {RatingUnit::user, "user"}});
}

// Where the noise is added.
enum class Perturbation { automatic, none, input, gradient, output };
constexpr auto enum_names(Perturbation) {
  return std::to_array<EnumName<Perturbation>>({{Perturbation::automatic, "auto"},
                                                {Perturbation::none, "none"},
                                                {Perturbation::input, "input"},
                                                {Perturbation::gradient, "gradient"},
                                                {Perturbation::output, "output"}});
}

// What is released, unit rating.
enum class RatingMechanism { automatic, sums, als, entries, sgd };
constexpr auto enum_names(RatingMechanism) {
  return std::to_array<EnumName<RatingMechanism>>({{RatingMechanism::automatic, "auto"},
                                                   {RatingMechanism::sums, "sums"},
                                                   {RatingMechanism::als, "als"},
                                                   {RatingMechanism::entries, "entries"},
                                                   {RatingMechanism::sgd, "sgd"}});
}

struct RatingPrivacyOptions : TargetOptions {
  static constexpr std::int64_t kUsualUsers = 1000;

  RatingUnit unit = RatingUnit::rating;
  std::string items;  // file: the public list of items, unit user
  std::string times;  // file: the public list of times, unit user
  std::int64_t per_user = 0;
  std::int64_t users = kUsualUsers;  // a public guess, unit user
  Perturbation perturb = Perturbation::automatic;
  RatingMechanism mechanism = RatingMechanism::automatic;
  bool as_published = false;
  double clip = 1;

  OptionTable table();
  bool for_users() const { return unit == RatingUnit::user; }

  ProtectedUnits guessed_users() const { return {users, "users, by a public guess"}; }

  // Refuses what cannot be combined; without epsilon, every option that only privacy has.
  void check() const;

 private:
  void check_for_users() const;
};

}  // namespace sotto
