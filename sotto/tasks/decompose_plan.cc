#include "sotto/tasks/decompose_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/decompose_fit.h"

namespace sotto {
namespace {

// Options that only a symmetric tensor has.
bool asks_for_symmetry(const DecomposeTask& task) {
  return whitens(task) || task.symmetry.symmetrize || task.privacy.as_published != Published::no ||
         task.privacy.mechanism == PowerMechanism::iterate;
}

// The shape is public, the entries have no say.
bool takes_entries(const DecomposeTask& task, const PublicDims& shape) {
  if (asks_for_entries(task)) return true;
  if (task.method != TensorMethod::automatic || asks_for_symmetry(task)) return false;
  const std::vector<Index>& dims = shape.dims;
  return dims.size() > 4 ||
         std::any_of(dims.begin(), dims.end(), [&](Index d) { return d != dims[0]; });
}

PowerPlan chosen_form(const DecomposeTask& task, const PublicShape& shape) {
  const PowerOptions& power = task.power;
  const PowerPlan iterate{PowerMechanism::iterate,
                          {shape.dim, shape.order, power.components,
                           task.given.starts ? power.starts : default_starts(shape),
                           task.given.iterations ? power.iterations : default_iterations(shape)},
                          task.privacy.as_published,
                          task.privacy.entry_change};
  const PowerPlan input{PowerMechanism::input,
                        {shape.dim, shape.order, power.components, power.starts, power.iterations},
                        Published::no,
                        task.privacy.entry_change};
  if (task.privacy.as_published != Published::no) return iterate;
  if (task.privacy.mechanism == PowerMechanism::iterate) return iterate;
  if (task.privacy.mechanism == PowerMechanism::input) return input;
  if (!asks_for_power(task) || whitens(task)) return input;  // these need the tensor itself
  return better_plan(iterate, input);
}

PowerOptions power_options(const DecomposeTask& task, const PowerPlan& form) {
  PowerOptions power = task.power;
  power.starts = form.shape.starts;
  power.iterations = form.shape.iterations;
  if (form.mechanism == PowerMechanism::iterate) {
    power.polish = 0;
    power.tolerance = 0;
    power.residuals = false;
  }
  return power;
}

void settle_symmetric(const DecomposeTask& task, PrivateDecompose& settled) {
  const PublicShape shape = require_shape(settled.dims.dims, "");
  task.privacy.require_small_delta(entry_units(shape));
  settled.method = asks_for_power(task) ? TensorMethod::power : task.method;
  settled.form = chosen_form(task, shape);
  settled.power = power_options(task, settled.form);
  settled.power.check(shape.dim);
  const PrivacyTarget target = task.privacy.target();
  if (settled.form.mechanism == PowerMechanism::iterate) {
    require_iterable(task);
    settled.noise =
        plan_power_noise(settled.form.shape, target, task.privacy.as_published, settled.bounds);
    settled.plan = plan_power(settled.noise);
  } else {
    settled.plan = plan_tensor(shape, target, settled.bounds);
  }
  settled.expected = forecast(settled.form, target);
  settled.plan.settings = {{"mechanism", std::string(name_of(settled.form.mechanism))},
                           {"starts", settled.power.starts},
                           {"iterations", settled.power.iterations}};
}

void settle_entries(const DecomposeTask& task, PrivateDecompose& settled) {
  require_dims(settled.dims, "");
  task.privacy.require_small_delta(entry_units(settled.dims));
  settled.entries = true;
  settled.method = fit_asked(task);
  if (settled.method == TensorMethod::alternating) {
    task.power.check(*std::min_element(settled.dims.dims.begin(), settled.dims.dims.end()));
  } else {
    check_fit(task, settled.method, settled.dims.dims);
  }
  const PrivacyTarget target = task.privacy.target();
  settled.plan = plan_entries(settled.dims, target, settled.bounds);
  settled.expected = forecast(settled.dims, settled.bounds.sensitivity(), target);
  settled.plan.settings = {{"mechanism", std::string(name_of(PowerMechanism::input))},
                           {"method", std::string(name_of(settled.method))}};
}

// ---- what can stand out ----

std::string recovered_text(const DecomposeTask& task, const PrivateDecompose& settled) {
  return fmt::format(
      "at epsilon {:g} components of weight {:.3g} and more are expected to be recovered",
      task.privacy.target().epsilon, settled.expected.weight);
}

double epsilon_for(const DecomposeTask& task, const PrivateDecompose& settled, double weight) {
  const double delta = task.privacy.target().delta;
  return settled.entries
             ? expected_epsilon(settled.dims, settled.bounds.sensitivity(), delta, weight)
             : expected_epsilon(settled.form, delta, weight);
}

// What public numbers say against a run; empty where nothing does. No component is longer than the
// tensor, whose N entries are within +-max_entry.
std::string objection(const DecomposeTask& task, const PrivateDecompose& settled) {
  const EntryPrivacyOptions& privacy = task.privacy;
  const std::string recovered = recovered_text(task, settled);
  if (!privacy.weight && !privacy.max_entry) {
    return fmt::format(
        "{}, and nothing public says how strong yours are: give the `weight` that you expect "
        "(not read off the data), or `anyway`",
        recovered);
  }
  if (privacy.weight && *privacy.weight < settled.expected.weight) {
    return fmt::format(
        "{}, those of weight {:g} only from epsilon {:.3g} on: raise `epsilon`, or run it "
        "with `anyway`",
        recovered, *privacy.weight, epsilon_for(task, settled, *privacy.weight));
  }
  if (!privacy.max_entry) return "";
  const double longest =
      *privacy.max_entry * std::sqrt(static_cast<double>(settled.dims.entries()));
  if (longest >= settled.expected.weight) return "";
  return fmt::format(
      "{}, but with entries up to {:g} no component has a weight above {:.3g}: raise `epsilon`, or "
      "run it with `anyway`",
      recovered, *privacy.max_entry, longest);
}

}  // namespace

bool whitens(const DecomposeTask& task) {
  return task.whiten != WhitenBy::none || !task.whiten_with.empty();
}

bool asks_for_power(const DecomposeTask& task) {
  return task.method == TensorMethod::power || task.method == TensorMethod::automatic;
}

bool asks_for_a_fit(const DecomposeTask& task) {
  if (task.method == TensorMethod::cp || task.method == TensorMethod::tucker) return true;
  return task.method == TensorMethod::automatic &&
         (task.leaves_out() || task.non_negative || task.components_auto || !task.ranks.empty());
}

bool asks_for_entries(const DecomposeTask& task) {
  return asks_for_a_fit(task) || task.method == TensorMethod::alternating;
}

TensorMethod fit_asked(const DecomposeTask& task) {
  if (task.method != TensorMethod::automatic) return task.method;
  return task.ranks.empty() ? TensorMethod::cp : TensorMethod::tucker;
}

void require_iterable(const DecomposeTask& task) {
  constexpr const char* kWhy =
      "needs the tensor itself: only `mechanism` input, which releases it with noise, allows it in "
      "a private run";
  SOTTO_REQUIRE_AT(asks_for_power(task), "`method`", "{} {}", name_of(task.method), kWhy);
  SOTTO_REQUIRE_AT(task.whiten == WhitenBy::none, "`whiten`", "whitening {}", kWhy);
  SOTTO_REQUIRE_AT(
      !task.given.polish && !task.given.tolerance, task.given.polish ? "`polish`" : "`tolerance`",
      "a private run asks a fixed number of times: use `starts` and `iterations`, or `mechanism` "
      "input");
}

void require_entries_options(const DecomposeTask& task) {
  const bool published = task.privacy.as_published != Published::no;
  const bool iterates = task.privacy.mechanism == PowerMechanism::iterate;
  SOTTO_REQUIRE_AT(!published && !iterates, published ? "`as-published`" : "`mechanism`",
                   "noise on every iteration is for `method` power; the joint fits take the "
                   "tensor with noise, `mechanism` input");
  SOTTO_REQUIRE_AT(!task.symmetry.symmetrize, "`symmetrize`",
                   "is for the symmetric methods: a mean over index orders spreads one entry over "
                   "several");
}

void require_order(const DecomposeTask& task, std::size_t order) {
  SOTTO_REQUIRE_AT(!task.order || *task.order == static_cast<std::int64_t>(order), "`order`",
                   "the tensor has order {}, not {}", order, *task.order);
}

PrivateDecompose settle(const DecomposeTask& task, const PublicDims& dims,
                        const std::vector<std::string>& facts) {
  SOTTO_REQUIRE_AT(task.privacy.asked(), "`plan`", "needs `epsilon` and `delta`");
  task.check();
  require_order(task, dims.dims.size());
  PrivateDecompose settled;
  settled.dims = dims;
  settled.bounds = {task.privacy.entry_change, task.privacy.max_entry};
  if (takes_entries(task, dims)) {
    settle_entries(task, settled);
  } else {
    settle_symmetric(task, settled);
  }
  settled.plan.settings.push_back({"entry_change", task.privacy.entry_change});
  std::vector<std::string>& stated = settled.plan.statement.public_facts;
  stated.insert(stated.end(), facts.begin(), facts.end());
  name_companions(settled.plan.statement, task.companions());
  return settled;
}

std::vector<Forecast> forecasts_of(const DecomposeTask& task, const PrivateDecompose& settled) {
  const char* where = settled.entries ? "an entry" : "a coordinate of T(I,u,..,u)";
  std::vector<Forecast> forecasts = {
      {"noise", settled.expected.noise,
       fmt::format("noise in {}: {:.3g}", where, settled.expected.noise)},
      {"weight", settled.expected.weight, recovered_text(task, settled)}};
  if (const auto weight = task.privacy.weight) {
    const double epsilon = epsilon_for(task, settled, *weight);
    forecasts.push_back(
        {"epsilon", epsilon,
         fmt::format("components of weight {:g} are expected from epsilon {:.3g} on", *weight,
                     epsilon)});
  }
  const bool refused = !task.privacy.anyway && !objection(task, settled).empty();
  if (refused) {
    forecasts.push_back({"refused", 1.0,
                         "a run is refused unless `weight` or `max-entry` allow for such "
                         "components, or `anyway` is given"});
  }
  return forecasts;
}

void require_signal(const DecomposeTask& task, const PrivateDecompose& settled) {
  if (task.privacy.anyway) return;
  const std::string why = objection(task, settled);
  SOTTO_REQUIRE_AT(why.empty(), task.privacy.weight ? "`weight`" : "`epsilon`",
                   "{}; nothing was released", why);
}

}  // namespace sotto
