#include "sotto/tasks/decompose.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sotto/base/random.h"
#include "sotto/decompose/block.h"
#include "sotto/io/npy.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/testing/test_files.h"
#include "sotto/linalg/spectral.h"
#include "sotto/privacy/gaussian.h"
#include "sotto/release/choose.h"
#include "sotto/release/private_power.h"
#include "sotto/tasks/testing/planned.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

constexpr Index kTensorDim = 12;
const Vector kTrueWeights = Vector::LinSpaced(3, 900, 500);

Matrix true_vectors() {
  SeededRandom random(4);
  return orthonormal_columns(random_unit_block(kTensorDim, 3, random));
}

SymmetricTensor known_tensor(int order = 3) {
  SymmetricTensor tensor(kTensorDim, order);
  const Matrix vectors = true_vectors();
  for (Index j = 0; j < 3; ++j) tensor.add_rank_one(kTrueWeights[j], vectors.col(j));
  return tensor;
}

template <class T>
Input<T> public_tensor(T tensor) {
  return Input<T>(Sensitive<T>(std::move(tensor)), PublicDeclaration("made by a test"));
}

DecomposeTask tensor_task() {
  DecomposeTask task;
  task.power.components = 3;
  return task;
}

DecomposeTask private_tensor_task(PowerMechanism mechanism, Published published = Published::no) {
  DecomposeTask task = tensor_task();
  task.privacy.epsilon = 5;
  task.privacy.delta = 1e-6;
  task.privacy.mechanism = mechanism;
  task.privacy.as_published = published;
  task.privacy.anyway = true;
  return task;
}

double worst_tensor_cosine(const Matrix& found) {
  return (true_vectors().transpose() * found).cwiseAbs().rowwise().maxCoeff().minCoeff();
}

TEST(DecomposeTask, recovers_a_public_tensor_by_every_method) {
  for (const TensorMethod method : {TensorMethod::power, TensorMethod::simultaneous,
                                    TensorMethod::alternating, TensorMethod::eigenpairs}) {
    DecomposeTask task = tensor_task();
    task.method = method;
    const DecomposeResult result = run(public_tensor(AnyTensor(known_tensor().to_dense())), task);
    EXPECT_EQ(result.dims, std::vector<Index>(3, kTensorDim)) << name_of(method);
    EXPECT_FALSE(result.certificate);
    for (const Matrix& factor : result.found.factors) {
      EXPECT_GT(worst_tensor_cosine(factor), 1 - 1e-8) << name_of(method);
    }
    EXPECT_LT((result.found.weights - kTrueWeights).cwiseAbs().maxCoeff(), 1e-6) << name_of(method);
  }
}

TEST(DecomposeTask, a_packed_tensor_and_a_file_give_the_same) {
  const DecomposeResult packed = run(public_tensor(known_tensor()), tensor_task());
  const DecomposeResult dense =
      run(public_tensor(AnyTensor(known_tensor().to_dense())), tensor_task());
  EXPECT_EQ(packed.found.weights, dense.found.weights);
  EXPECT_EQ(packed.dims, dense.dims);
}

TEST(DecomposeTask, a_private_run_releases_what_the_plan_says_and_is_certified) {
  for (const auto& [mechanism, published] : {std::pair{PowerMechanism::automatic, Published::no},
                                             {PowerMechanism::iterate, Published::no},
                                             {PowerMechanism::input, Published::no},
                                             {PowerMechanism::automatic, Published::wang},
                                             {PowerMechanism::iterate, Published::imtiaz}}) {
    for (const int order : {3, 4}) {
      const DecomposeTask task = private_tensor_task(mechanism, published);
      const Plan announced = plan(task, {kTensorDim, order});
      const DecomposeResult result = run(Input(Sensitive(known_tensor(order))), task);
      const Certificate& certificate = *result.certificate;
      EXPECT_EQ(releases_of(certificate), releases_of(announced));
      EXPECT_TRUE(certificate.proved) << certificate.why;
      EXPECT_EQ(certificate.statement.public_facts, announced.statement.public_facts);
      if (published == Published::no) {
        EXPECT_LE(certificate.epsilon, 5);
      }
      double shares = 0;
      for (const PlannedRelease& release : announced.releases) shares += release.share;
      EXPECT_NEAR(shares, 1, 1e-12);
    }
  }
}

TEST(DecomposeTask, a_strong_tensor_is_recovered_privately) {
  for (const PowerMechanism mechanism : {PowerMechanism::iterate, PowerMechanism::input}) {
    DecomposeTask task = private_tensor_task(mechanism);
    task.privacy.epsilon = 50;
    EXPECT_GT(worst_tensor_cosine(run(Input(Sensitive(known_tensor())), task).found.vectors()),
              0.97);
  }
}

TEST(DecomposeTask, the_settings_of_the_plan_are_those_of_the_run) {
  for (const PowerMechanism mechanism : {PowerMechanism::iterate, PowerMechanism::input}) {
    DecomposeTask task = private_tensor_task(mechanism);
    for (const bool given : {false, true}) {
      if (given) {
        task.power.starts = 7;
        task.given.starts = true;
      }
      const auto settings = plan(task, {kTensorDim, 3}).to_json()["settings"];
      const DecomposeResult result = run(Input(Sensitive(known_tensor())), task);
      EXPECT_EQ(settings["mechanism"], std::string(name_of(result.mechanism)));
      EXPECT_EQ(settings["starts"], result.power.starts);
      EXPECT_EQ(settings["iterations"], result.power.iterations);
      if (given) {
        EXPECT_EQ(result.power.starts, 7);
      }
    }
  }
  EXPECT_EQ(run(Input(Sensitive(known_tensor())), private_tensor_task(PowerMechanism::iterate))
                .power.starts,
            default_starts({kTensorDim, 3}));
}

TEST(DecomposeTask, the_forecast_of_a_plan_says_at_which_epsilon_a_weight_is_recovered) {
  DecomposeTask task = private_tensor_task(PowerMechanism::iterate);
  const double weight = plan(task, {kTensorDim, 3}).to_json()["forecasts"]["weight"];
  task.privacy.weight = weight;
  const double epsilon = plan(task, {kTensorDim, 3}).to_json()["forecasts"]["epsilon"];
  EXPECT_NEAR(epsilon, 5, 1e-6);
}

// The bits of a run are those of its parts, joined by hand.
TEST(DecomposeTask, the_noise_is_that_of_the_oracle) {
  DecomposeTask task = private_tensor_task(PowerMechanism::iterate);
  task.privacy.insecure_seed = 3;
  const DecomposeResult result = run(Input(Sensitive(known_tensor())), task);
  const PowerShape shape{kTensorDim, 3, 3, result.power.starts, result.power.iterations};
  const PowerNoise noise = plan_power_noise(shape, task.privacy.target(), Published::no, {});
  PrivateRun by_hand(plan_power(noise), NoiseKey::insecure_from_seed(3));
  PrivatePowerOracle oracle(Sensitive<SymmetricTensor>{known_tensor()}, noise, by_hand);
  EXPECT_EQ(robust_power_method(oracle, result.power).weights, result.found.weights);
  EXPECT_FALSE(result.certificate->proved);
}

TEST(DecomposeTask, a_rehearsal_draws_the_same_noise_and_protects_nothing) {
  DecomposeTask task = private_tensor_task(PowerMechanism::iterate);
  task.privacy.insecure_seed = 3;
  const SymmetricTensor tensor = known_tensor();
  TensorOracle exact(tensor);
  const DecomposeResult rehearsed = rehearse(exact, task);
  EXPECT_EQ(rehearsed.found.weights, run(Input(Sensitive(known_tensor())), task).found.weights);
  task.privacy.insecure_seed.reset();
  EXPECT_FALSE(rehearse(exact, task).certificate->proved);
  EXPECT_ERROR(rehearse(exact, private_tensor_task(PowerMechanism::input)), "`mechanism`: ");
}

TEST(DecomposeTask, what_is_public_about_the_input_stands_in_the_certificate) {
  Input<AnyTensor> input{Sensitive(AnyTensor(known_tensor().to_dense()))};
  input.add_public_fact("the format of the file: npy");
  const DecomposeResult result = run(std::move(input), private_tensor_task(PowerMechanism::input));
  EXPECT_EQ(result.certificate->statement.public_facts.back(), "the format of the file: npy");
}

TEST(DecomposeTask, input_and_epsilon_must_fit) {
  EXPECT_ERROR(run(Input(Sensitive(known_tensor())), tensor_task()), "`epsilon`: is needed");
  EXPECT_ERROR(run(public_tensor(known_tensor()), private_tensor_task(PowerMechanism::input)),
               "declared public");
  EXPECT_ERROR(plan(tensor_task(), {kTensorDim, 3}), "`plan`: needs `epsilon`");
}

TEST(DecomposeTask, a_release_that_is_not_in_the_plan_is_refused) {
  const Plan announced = plan(private_tensor_task(PowerMechanism::input), {kTensorDim, 3});
  PrivateRun run(announced, NoiseKey::from_system());
  const GaussianMechanism unplanned("the largest entry", 1, 100, 1);
  EXPECT_ERROR(run.publish(unplanned, std::vector<double>{0}),
               "'the largest entry' is not in the plan");
  const auto release = [&] {
    release_tensor(Sensitive<SymmetricTensor>(known_tensor()), {5, 1e-6}, run);
  };
  EXPECT_NO_THROW(release());
  EXPECT_ERROR(release(), "'the tensor' is not in the plan");
}

TEST(DecomposeTask, refuses_what_cannot_be_combined_before_there_is_data) {
  const auto refuses = [](const char* place, const std::function<void(DecomposeTask&)>& change,
                          PowerMechanism mechanism = PowerMechanism::iterate) {
    DecomposeTask task = private_tensor_task(mechanism);
    change(task);
    EXPECT_ERROR(task.check(), place);
  };
  refuses("`mechanism`: ", [](auto& t) { t.method = TensorMethod::alternating; });
  refuses("`mechanism`: ", [](auto& t) { t.method = TensorMethod::cp; });
  refuses(
      "`as-published`: ",
      [](auto& t) {
        t.method = TensorMethod::cp;
        t.privacy.as_published = Published::wang;
      },
      PowerMechanism::automatic);
  refuses(
      "`symmetrize`: ",
      [](auto& t) {
        t.non_negative = true;
        t.symmetry.symmetrize = true;
      },
      PowerMechanism::input);
  refuses(
      "`missing`: ", [](auto& t) { t.missing = true; }, PowerMechanism::input);
  refuses("`method`: ", [](auto& t) { t.method = TensorMethod::simultaneous; });
  refuses("`whiten`: ", [](auto& t) { t.whiten = WhitenBy::tensor; });
  refuses(
      "`whiten-with`: ", [](auto& t) { t.whiten_with = "m.npy"; }, PowerMechanism::input);
  refuses("`polish`: ", [](auto& t) { t.given.polish = true; });
  refuses("`tolerance`: ", [](auto& t) { t.given.tolerance = true; });
  refuses("`delta`", [](auto& t) { t.privacy.delta.reset(); });
  DecomposeTask both = tensor_task();
  both.whiten = WhitenBy::tensor;
  both.whiten_with = "m.npy";
  EXPECT_ERROR(both.check(), "not both");
}

TEST(DecomposeTask, refuses_what_the_shape_cannot_have) {
  DecomposeTask task = private_tensor_task(PowerMechanism::iterate);
  task.power.components = 13;
  EXPECT_ERROR(plan(task, {kTensorDim, 3}), "`components`: ");
  task = private_tensor_task(PowerMechanism::iterate);
  task.order = 4;
  EXPECT_ERROR(plan(task, {kTensorDim, 3}), "order 3, not 4");
  task.order.reset();
  task.privacy.delta = 0.1;
  EXPECT_ERROR(plan(task, {kTensorDim, 3}), "`delta`: ");
}

TEST(DecomposeTask, a_caller_can_stop_it) {
  const ProgressCallback stop = [](const ProgressReport&) { return false; };
  for (const PowerMechanism mechanism : {PowerMechanism::iterate, PowerMechanism::input}) {
    EXPECT_ERROR(run(Input(Sensitive(known_tensor())), private_tensor_task(mechanism), stop),
                 "stopped");
  }
  EXPECT_ERROR(run(public_tensor(known_tensor()), tensor_task(), stop), "stopped");
}

// ---- the entries of any tensor ----

const std::vector<Index> kOddDims = {14, 9, 11};
const Vector kOddWeights = Vector::LinSpaced(2, 900, 700);

std::vector<Matrix> odd_factors(bool non_negative) {
  std::vector<Matrix> factors;
  SeededRandom random(6);
  for (const Index d : kOddDims) {
    const Matrix block = random_unit_block(d, 2, random);
    factors.push_back(non_negative ? Matrix(Matrix(block.cwiseMax(0.0)).colwise().normalized())
                                   : block);
  }
  return factors;
}

DenseTensor odd_tensor(bool non_negative = false) {
  DenseTensor tensor(kOddDims);
  const auto factors = odd_factors(non_negative);
  for (Index e = 0; e < tensor.size(); ++e) {
    const std::vector<Index> at = tensor.index_of(e);
    for (Index r = 0; r < 2; ++r) {
      tensor.values()[e] +=
          kOddWeights[r] * factors[0](at[0], r) * factors[1](at[1], r) * factors[2](at[2], r);
    }
  }
  return tensor;
}

DecomposeTask private_entries_task(TensorMethod method = TensorMethod::automatic) {
  DecomposeTask task = private_tensor_task(PowerMechanism::automatic);
  task.privacy.anyway = false;
  task.privacy.weight = 700;
  task.power.components = 2;
  task.method = method;
  if (method == TensorMethod::tucker) task.ranks = {2};
  return task;
}

DecomposeResult run_odd(const DecomposeTask& task, bool non_negative = false) {
  return run(Input(Sensitive(AnyTensor(odd_tensor(non_negative)))), task);
}

double worst_odd_cosine(const DecomposeResult& result, bool non_negative) {
  const auto truth = odd_factors(non_negative);
  double worst = 1;
  for (std::size_t m = 0; m < 3; ++m) {
    const Matrix cosines = (truth[m].transpose() * result.found.factors[m]).cwiseAbs();
    worst = std::min(worst, cosines.rowwise().maxCoeff().minCoeff());
  }
  return worst;
}

TEST(DecomposeTask, any_tensor_is_decomposed_privately_as_planned) {
  for (const bool non_negative : {false, true}) {
    DecomposeTask task = private_entries_task();
    task.non_negative = non_negative;
    const Plan announced = plan(task, PublicDims(kOddDims));
    const DecomposeResult result = run_odd(task, non_negative);
    EXPECT_EQ(result.method, TensorMethod::cp);
    EXPECT_EQ(releases_of(*result.certificate), releases_of(announced));
    EXPECT_TRUE(result.certificate->proved) << result.certificate->why;
    EXPECT_LE(result.certificate->epsilon, 5);
    EXPECT_GT(worst_odd_cosine(result, non_negative), 0.97);
    EXPECT_EQ(*announced.releases[0].noise, *result.deviation);
    // The model holds what there is, so that noise alone is left, less what its 64 free numbers
    // take of it. The deviation of 1322 others is known to 2%: six times that.
    const auto left = static_cast<double>(result.measures->observed - 64);
    EXPECT_NEAR(std::sqrt(result.measures->squared_error / left) / *result.deviation, 1, 0.12);
    if (!non_negative) continue;
    for (const Matrix& factor : result.found.factors) EXPECT_GE(factor.minCoeff(), 0);
  }
}

TEST(DecomposeTask, every_method_without_symmetry_works_on_released_entries) {
  for (const TensorMethod method :
       {TensorMethod::cp, TensorMethod::tucker, TensorMethod::alternating}) {
    const DecomposeResult result = run_odd(private_entries_task(method));
    EXPECT_EQ(result.method, method);
    EXPECT_TRUE(result.certificate->proved);
    EXPECT_EQ(result.found.factors.size(), 3u);
    EXPECT_EQ(result.certificate->releases.size(), 1u);
  }
  DecomposeTask chosen = private_entries_task();
  chosen.components_auto = true;
  chosen.components_up_to = 3;
  EXPECT_EQ(run_odd(chosen).found.weights.size(), 2);
}

TEST(DecomposeTask, the_route_follows_from_shape_and_options_and_never_from_entries) {
  const auto unit_of = [](const DecomposeTask& task, const std::vector<Index>& dims) {
    return plan(task, PublicDims(dims)).statement.unit;
  };
  DecomposeTask task = private_tensor_task(PowerMechanism::automatic);
  EXPECT_EQ(unit_of(task, {12, 12, 12}), "one entry of the symmetric tensor");
  EXPECT_EQ(unit_of(task, {12, 12, 11}), "one entry of the tensor");
  EXPECT_EQ(unit_of(task, {6, 6, 6, 6, 6}), "one entry of the tensor");
  task.symmetry.symmetrize = true;
  EXPECT_ERROR(plan(task, PublicDims({12, 12, 11})), "equal dimensions");
  task = private_entries_task(TensorMethod::cp);
  EXPECT_EQ(unit_of(task, {12, 12, 12}), "one entry of the tensor");
  // Entries that are symmetric and entries that are not: the same method and the same release.
  DenseTensor crooked = known_tensor().to_dense();
  crooked.values()[5] += 100;
  for (const DenseTensor& tensor : {known_tensor().to_dense(), crooked}) {
    const DecomposeResult result =
        run(Input(Sensitive(AnyTensor(tensor))), private_tensor_task(PowerMechanism::automatic));
    EXPECT_EQ(result.method, TensorMethod::power);
    EXPECT_EQ(result.certificate->statement.unit, "one entry of the symmetric tensor");
  }
}

TEST(DecomposeTask, the_noise_grows_with_the_declared_change) {
  for (const std::vector<Index>& dims : {kOddDims, std::vector<Index>(3, kTensorDim)}) {
    DecomposeTask task = private_entries_task();
    const Plan one = plan(task, PublicDims(dims));
    task.privacy.entry_change = 20;
    const Plan wide = plan(task, PublicDims(dims));
    EXPECT_NEAR(*wide.releases[0].noise / *one.releases[0].noise, 20, 1e-6);
    EXPECT_NEAR(*wide.forecasts[1].value / *one.forecasts[1].value, 20, 1e-6);
    EXPECT_EQ(wide.to_json()["settings"]["entry_change"], 20);
    EXPECT_NE(wide.statement.neighbours.find("20"), std::string::npos);
  }
}

TEST(DecomposeTask, a_run_that_would_return_noise_is_refused_unless_told_otherwise) {
  for (const bool odd : {false, true}) {
    const auto attempt = [&](const DecomposeTask& task) {
      return odd ? run_odd(task) : run(Input(Sensitive(known_tensor())), task);
    };
    DecomposeTask task = private_entries_task();
    EXPECT_NO_THROW(attempt(task));
    task.privacy.weight = 1;
    EXPECT_ERROR(attempt(task), "`weight`: at epsilon 5 components of weight ");
    task.privacy.anyway = true;
    EXPECT_NO_THROW(attempt(task));
    task.privacy.anyway = false;
    task.privacy.weight.reset();
    EXPECT_ERROR(attempt(task), "nothing public says how strong yours are");
    task.privacy.epsilon = 0.2;
    task.privacy.max_entry = 1e-3;
    EXPECT_ERROR(attempt(task), "no component has a weight above");
    task.privacy.max_entry = 1000;
    EXPECT_NO_THROW(attempt(task));
    task.privacy.weight = 1e6;
    task.privacy.max_entry = 1e-3;
    EXPECT_ERROR(attempt(task), "no component has a weight above");
  }
}

TEST(DecomposeTask, what_a_shape_rules_out_is_refused_before_a_release) {
  DecomposeTask task = private_entries_task(TensorMethod::cp);
  task.power.components = 100;
  EXPECT_ERROR(plan(task, PublicDims(kOddDims)), "`components`: ");
  task = private_entries_task(TensorMethod::tucker);
  task.ranks = {3, 3};
  EXPECT_ERROR(plan(task, PublicDims(kOddDims)), "`ranks`: ");
  task = private_entries_task();
  EXPECT_ERROR(plan(task, PublicDims({5, 1, 5})), "one row only");
  task.privacy.delta = 0.01;
  EXPECT_ERROR(plan(task, PublicDims(kOddDims)), "`delta`: ");
}

TEST(DecomposeTask, saves_one_matrix_or_one_for_each_mode) {
  const TemporaryFolder folder;
  DecomposeTask task = tensor_task();
  for (const TensorMethod method : {TensorMethod::power, TensorMethod::alternating}) {
    task.method = method;
    const DecomposeResult result = run(public_tensor(AnyTensor(known_tensor().to_dense())), task);
    OutputFolder out(folder / std::string(name_of(method)));
    save(result, out);
    out.write_text("result.json", "{}");
    out.commit();
  }
  EXPECT_EQ(read_npy(folder / "power/vectors.npy").dims(), (std::vector<Index>{kTensorDim, 3}));
  EXPECT_EQ(read_npy(folder / "alternating/factors_2.npy").dims(),
            (std::vector<Index>{kTensorDim, 3}));
}

}  // namespace
}  // namespace sotto
