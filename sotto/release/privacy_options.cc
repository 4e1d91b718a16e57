#include "sotto/release/privacy_options.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include "sotto/base/error.h"
#include "sotto/base/program.h"
#include "sotto/base/signature.h"
#include "sotto/ledger/reservation.h"
#include "sotto/privacy/secure_stream.h"
#include "sotto/release/calibration.h"

namespace sotto {

PrivacyTarget TargetOptions::target() const {
  return {epsilon.value(), delta.value_or(kTailDelta)};
}

NoiseKey TargetOptions::key() const { return NoiseKey::from_system_or_seed(insecure_seed); }

OptionTable TargetOptions::target_table(const std::string& epsilon_help,
                                        const std::string& delta_help) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return OptionTable()
      .real("epsilon", 'e', epsilon, {0, kInfinity, true, true}, epsilon_help)
      .real("delta", 0, delta, {0, 1, true, true}, delta_help)
      .flag("accept-large-delta", accept_large_delta,
            "accept a delta that is not below one over the number of protected units, at which "
            "someone may be expected to be exposed; without this flag it is refused")
      .integer("insecure-seed", 0, insecure_seed, {0, std::numeric_limits<std::int64_t>::max()},
               "draw the noise from this seed: repeatable, and not private")
      .text("ledger", 0, ledger, "FILE",
            "count this run in a ledger over all runs on the same data (sotto ledger init); a run "
            "that the limit does not cover is refused before a record is read, and a run that "
            "breaks off counts with its whole epsilon")
      .notice("ledger", ledger_given)
      .text("ledger-data", 0, ledger_data, "NAME",
            "the name of the data set, if the ledger has several")
      .text("protects", 0, protects, "TEXT",
            "for the certificate: what is protected, in your words, such as \"one patient\" (none "
            "given: the words of `ledger`)")
      .text("contact", 0, contact, "TEXT", "for the certificate: whom to ask")
      .text("purpose", 0, purpose, "TEXT", "for the certificate: what the result is for")
      .text("sign", 0, sign, "KEY",
            "sign the folder of `out` with this key (sotto keys new); sotto verify checks it");
}

namespace {

constexpr std::size_t kLongestWords = 1000;

// They are shown as they are, on one line.
void require_words(const char* option, const std::string& words) {
  SOTTO_REQUIRE_AT(words.size() <= kLongestWords, option, "has more than {} bytes", kLongestWords);
  const bool plain = std::none_of(words.begin(), words.end(),
                                  [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  SOTTO_REQUIRE_AT(plain, option, "must be one line of text");
}

}  // namespace

void TargetOptions::check_target(std::initializer_list<OnlyPrivate> others) const {
  SOTTO_REQUIRE_AT(delta || !accept_large_delta, "`accept-large-delta`", "needs `delta`");
  // A name that a script left empty must not make a run that nobody counts.
  SOTTO_REQUIRE_AT(!ledger_given || !ledger.empty(), "`ledger`", "needs the name of a file");
  SOTTO_REQUIRE_AT(ledger_data.empty() || !ledger.empty(), "`ledger-data`", "needs `ledger`");
  if (insecure_seed) require_no_ledger("`insecure-seed`");
  require_words("`protects`", protects);
  require_words("`contact`", contact);
  require_words("`purpose`", purpose);
  if (asked()) return;
  const auto refuse = [](const OnlyPrivate& one) {
    SOTTO_REQUIRE_AT(!one.given, one.option, "needs `epsilon`, which is missing");
  };
  refuse({"`delta`", delta.has_value()});
  refuse({"`insecure-seed`", insecure_seed.has_value()});
  refuse({"`ledger`", !ledger.empty()});
  refuse({"`protects`", !protects.empty()});
  refuse({"`contact`", !contact.empty()});
  refuse({"`purpose`", !purpose.empty()});
  refuse({"`sign`", !sign.empty()});
  for (const OnlyPrivate& one : others) refuse(one);
}

void TargetOptions::require_delta_given() const {
  SOTTO_REQUIRE_AT(delta, "`epsilon`", "needs `delta` too, say `delta` 1e-6");
}

void TargetOptions::require_no_ledger(const char* option) const {
  SOTTO_REQUIRE_AT(ledger.empty(), option,
                   "does not work with `ledger`: such a run proves nothing that could be counted");
}

void TargetOptions::reserve(const std::string& command, const std::string& unit,
                            const std::vector<std::string>& inputs,
                            const std::vector<std::string>& others) {
  day = today();
  if (!sign.empty()) signing_key = SigningKey::read(sign);
  if (ledger.empty()) return;
  const RunLedger::Request request{command, unit, {target().epsilon, target().delta}};
  reservation = std::make_shared<Reservation>(ledger, ledger_data, request, inputs, others);
}

RunStatement TargetOptions::stated() const {
  RunStatement stated{day, protects, contact, purpose, {}, signing_key};
  if (!reservation) return stated;
  stated.ledger = reservation->standing();
  if (stated.protects.empty()) stated.protects = stated.ledger->unit;
  return stated;
}

void TargetOptions::commit() const {
  if (reservation) reservation->commit();
}

void TargetOptions::require_small_delta(const ProtectedUnits& units) const {
  if (!delta || accept_large_delta) return;
  const std::string warning = large_delta_warning(*delta, units);
  SOTTO_REQUIRE_AT(warning.empty(), "`delta`",
                   "{}; take a smaller one, or accept it with `accept-large-delta`", warning);
}

// ---- one entry ----

// Far from where a product of entries overflows or vanishes.
constexpr RealRange kEntryRange{1e-60, 1e60};

OptionTable EntryPrivacyOptions::table() {
  return target_table("make the result differentially private, with at most this epsilon",
                      "delta of the guarantee; `epsilon` needs it")
      .choice(
          "mechanism", mechanism,
          "symmetric methods; iterate: noise on every power iteration; input: noise on the tensor, "
          "once; auto: the better of the two for this shape; other methods: input")
      .choice("as-published", as_published,
              "the noise of Wang and Anandkumar (2016), Algorithm 3, or of Imtiaz and Sarwate "
              "(2018); for comparison")
      .real("entry-change", 0, entry_change, kEntryRange,
            "public bound: the run hides a change of one entry by at most this; the noise grows "
            "with it")
      .real("max-entry", 0, max_entry, kEntryRange,
            "public bound: entries beyond it are clipped to it (none given: no clipping, but with "
            "`mechanism` iterate to a bound chosen from the shape)")
      .real("weight", 0, weight, {0, std::numeric_limits<double>::infinity(), true, true},
            "the weight that components are expected to have, not read off the data: a run whose "
            "noise would hide them is refused, and `plan` says at which epsilon they are recovered")
      .flag("anyway", anyway,
            "run even if components are not expected to stand out of the noise, or nothing public "
            "says how strong they are");
}

void EntryPrivacyOptions::check() const {
  check_target({{"`mechanism`", mechanism != PowerMechanism::automatic},
                {"`as-published`", as_published != Published::no},
                {"`entry-change`", entry_change != 1},
                {"`max-entry`", max_entry.has_value()},
                {"`weight`", weight.has_value()},
                {"`anyway`", anyway}});
  if (!asked()) return;
  require_delta_given();
  SOTTO_REQUIRE_AT(as_published == Published::no || mechanism != PowerMechanism::input,
                   "`as-published`",
                   "is an iterated method and does not work with `mechanism` input");
  if (as_published != Published::no) require_no_ledger("`as-published`");
}

// ---- one record ----

OptionTable RecordPrivacyOptions::table() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return target_table(
             "make the result differentially private, with at most this epsilon for each record; "
             "settings of the method that are not given are then chosen for it",
             "delta of the guarantee; `epsilon` needs it")
      .real("max-norm", 0, max_norm, {0, kInfinity, true, true},
            "public bound: longer records are clipped to this norm; `epsilon` needs it, or "
            "`norm-range`")
      .text("norm-range", 0, norm_range, "LO:HI",
            "instead of `max-norm`: choose the bound privately between two public numbers (stream: "
            "from the first records, which are then not used again; mixture: for a twentieth of "
            "epsilon)");
}

void RecordPrivacyOptions::check() const {
  check_target({{"`max-norm`", max_norm.has_value()}, {"`norm-range`", !norm_range.empty()}});
  if (!asked()) return;
  require_delta_given();
  SOTTO_REQUIRE_AT(max_norm || !norm_range.empty(), "`epsilon`",
                   "needs `max-norm`, a bound on the norm of a record that is not read off the "
                   "data, or `norm-range` LO:HI to choose one privately");
  SOTTO_REQUIRE_AT(!max_norm || norm_range.empty(), "`norm-range`",
                   "does not work with `max-norm`: the bound is either given or chosen privately");
  norm();
}

RecordNorm RecordPrivacyOptions::norm() const {
  if (max_norm) return *max_norm;
  const std::size_t colon = norm_range.find(':');
  NormRange range{};
  const char* end = norm_range.data() + norm_range.size();
  bool good = colon != std::string::npos;
  if (good) {
    const char* middle = norm_range.data() + colon;
    const auto low = std::from_chars(norm_range.data(), middle, range.low);
    const auto high = std::from_chars(middle + 1, end, range.high);
    good = low.ec == std::errc() && low.ptr == middle && high.ec == std::errc() && high.ptr == end;
  }
  // Far from where a power of a norm overflows or a square vanishes.
  good = good && 1e-60 <= range.low && range.low < range.high && range.high <= 1e60;
  SOTTO_REQUIRE_AT(good, "`norm-range`",
                   "must be two positive numbers in order, LO:HI, say 0.01:100; got '{}'",
                   norm_range);
  return range;
}

void RecordPrivacyOptions::set_norm(const RecordNorm& norm) {
  max_norm.reset();
  norm_range.clear();
  if (const auto* range = std::get_if<NormRange>(&norm)) {
    norm_range = fmt::format("{}:{}", range->low, range->high);
  } else {
    max_norm = std::get<double>(norm);
  }
}

// ---- one rating, or one user ----

OptionTable RatingPrivacyOptions::table() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return target_table(
             "make the result differentially private, with at most this epsilon; needs `range`",
             "delta of the guarantee (none given: pure epsilon); unit user needs it")
      .choice(
          "unit", unit,
          "what is protected; rating: the value of one rating, while who rated what and when is "
          "public; user: all ratings of one user, and which items were rated")
      .text("items", 0, items, "FILE",
            "unit user: the public list of items, one a line; ratings of other items are not used")
      .text(
          "times", 0, times, "FILE",
          "unit user: the public list of days, weeks, months or other rows of the third mode, one "
          "a line; none given: time is not part of the model")
      .integer(
          "per-user", 0, per_user, {0, std::numeric_limits<std::int64_t>::max()},
          "unit user: cap on the ratings of a user that count; 0: no cap, which costs no privacy")
      .integer("users", 0, users, {1, std::numeric_limits<std::int64_t>::max()},
               "unit user: a public guess of how many users there are; delta must be below its "
               "inverse")
      .choice("perturb", perturb,
              "where the noise goes; auto: on sums of ratings; input: on every rating; gradient "
              "and output: only `as-published`, without a guarantee; none: no privacy")
      .choice("mechanism", mechanism,
              "unit rating, `perturb` auto; sums: one linear model of noisy sums and features of "
              "the positions; als: alternating least squares on noisy right-hand sides; entries: "
              "the posterior of a low-rank model of ratings that have noise each; sgd: noisy "
              "gradients over Poisson samples; auto: sums or entries, by public numbers")
      .flag("as-published", as_published,
            "input, gradient or output perturbation of Wei et al. (2022), for comparison")
      .real("clip", 0, clip, {0, kInfinity, true, true},
            "gradient: bound m on the norm of a gradient; output: the Lipschitz constant L");
}

void RatingPrivacyOptions::check() const {
  const bool any_perturb = perturb == Perturbation::automatic;
  const bool any_mechanism = mechanism == RatingMechanism::automatic;
  check_target({{"`perturb`", !any_perturb && perturb != Perturbation::none},
                {"`as-published`", as_published},
                {"`unit` user", for_users()},
                {"`mechanism`", !any_mechanism}});
  const auto only_for_users = [&](bool given, const char* option) {
    SOTTO_REQUIRE_AT(for_users() || !given, option, "only works with `unit` user");
  };
  only_for_users(!items.empty(), "`items`");
  only_for_users(!times.empty(), "`times`");
  only_for_users(per_user != 0, "`per-user`");
  only_for_users(users != kUsualUsers, "`users`");
  SOTTO_REQUIRE_AT(any_mechanism || (any_perturb && !for_users()), "`mechanism`",
                   "only works with `unit` rating and `perturb` auto");
  if (!asked()) return;
  if (for_users()) check_for_users();
  SOTTO_REQUIRE_AT(perturb != Perturbation::none, "`perturb`", "none does not work with `epsilon`");
  const bool bare = perturb == Perturbation::gradient || perturb == Perturbation::output;
  SOTTO_REQUIRE_AT(!bare || as_published, "`perturb`",
                   "{} has no privacy guarantee (docs/published-claims.md); say `as-published` to "
                   "run it for comparison, or take auto",
                   name_of(perturb));
  SOTTO_REQUIRE_AT(!as_published || !any_perturb, "`as-published`",
                   "needs `perturb` input, gradient or output");
  if (as_published) require_no_ledger("`as-published`");
  SOTTO_REQUIRE_AT(mechanism != RatingMechanism::sgd || delta, "`mechanism`",
                   "sgd needs `delta` too, say `delta` 1e-6");
}

void RatingPrivacyOptions::check_for_users() const {
  SOTTO_REQUIRE_AT(delta, "`unit`", "user needs `delta` too, say `delta` 1e-6");
  SOTTO_REQUIRE_AT(!items.empty(), "`unit`",
                   "user needs `items` FILE, the public list of items: which items there are would "
                   "otherwise be read off the users' ratings");
  SOTTO_REQUIRE_AT(perturb == Perturbation::automatic && !as_published, "`unit`",
                   "user has no published counterpart: take `perturb` auto");
}

}  // namespace sotto
