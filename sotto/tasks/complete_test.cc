#include "sotto/tasks/complete.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.h"
#include "sotto/base/random.h"
#include "sotto/complete/fit/biases.h"
#include "sotto/complete/fit/scores.h"
#include "sotto/complete/private/position_features.h"
#include "sotto/complete/private/testing/known_users.h"
#include "sotto/io/output_folder.h"
#include "sotto/io/read_ratings.h"
#include "sotto/io/testing/test_files.h"
#include "sotto/tasks/companions.h"
#include "sotto/tasks/complete_users.h"
#include "sotto/tasks/testing/planned.h"

namespace sotto {
namespace {

// 120 users, 60 items and 3 months with biases and one strong taste; half of the places are rated.
ObservedEntries known_ratings(std::uint64_t seed = 3) {
  SeededRandom random(seed);
  Vector user(120), item(60), taste(120), kind(60);
  for (Vector* part : {&user, &item}) {
    for (double& x : *part) x = 0.6 * random.normal();
  }
  for (Vector* part : {&taste, &kind}) {
    for (double& x : *part) x = 0.7 * random.normal();
  }
  ObservedEntries data({120, 60, 3});
  for (std::int32_t u = 0; u < 120; ++u) {
    for (std::int32_t i = 0; i < 60; ++i) {
      if (random.uniform() < 0.5) continue;
      const double x = 3.5 + user[u] + item[i] + taste[u] * kind[i] + 0.2 * random.normal();
      data.append(std::vector<std::int32_t>{u, i, static_cast<std::int32_t>(random.below(3))},
                  std::clamp(x, 0.0, 7.0));
    }
  }
  return data;
}

Sensitive<Ratings> sensitive(ObservedEntries entries) {
  return Sensitive<Ratings>(unlabelled(std::move(entries)));
}

Input<Ratings> made_public(ObservedEntries entries) {
  return Input<Ratings>(sensitive(std::move(entries)), PublicDeclaration("made by a test"));
}

CompleteTask plain_completion() {
  CompleteTask task;
  task.completion.rank = 2;
  task.file.range = "0:7";
  return task;
}

CompleteTask private_completion(double epsilon = 20) {
  CompleteTask task = plain_completion();
  task.privacy.epsilon = epsilon;
  task.privacy.delta = 1e-6;
  return task;
}

double error_on(const ObservedEntries& test, const CompletionResult& result) {
  return root_mean_square_error(test, result.model.predict(test));
}

double error_of_the_mean(const EntrySplit& split) {
  return std::sqrt(squared_error(split.held_out, Biases::constant(split.kept)) /
                   static_cast<double>(split.held_out.size()));
}

// Every way to a private model of ratings.
std::vector<CompleteTask> private_completions() {
  std::vector<CompleteTask> tasks;
  for (const auto mechanism :
       {RatingMechanism::automatic, RatingMechanism::sums, RatingMechanism::als,
        RatingMechanism::entries, RatingMechanism::sgd}) {
    tasks.push_back(private_completion());
    tasks.back().privacy.mechanism = mechanism;
  }
  tasks.push_back(private_completion());
  tasks.back().privacy.perturb = Perturbation::input;
  for (const auto where : {Perturbation::input, Perturbation::gradient, Perturbation::output}) {
    tasks.push_back(private_completion());
    tasks.back().privacy.as_published = true;
    tasks.back().privacy.perturb = where;
    tasks.back().completion.epochs = 3;
  }
  return tasks;
}

TEST(CompleteTask, learns_public_ratings_by_every_method) {
  const EntrySplit split = split_entries(known_ratings(), 0.2, 1);
  for (const auto method :
       {CompletionMethod::automatic, CompletionMethod::als, CompletionMethod::sgd}) {
    CompleteTask task = plain_completion();
    task.completion.method = method;
    const CompletionResult result = run(made_public(split.kept), task);
    EXPECT_FALSE(result.certificate);
    ASSERT_TRUE(result.training);
    EXPECT_EQ(result.shape.dims, (std::vector<Index>{120, 60, 3}));
    EXPECT_LT(error_on(split.held_out, result), 0.6 * error_of_the_mean(split)) << result.method;
  }
}

TEST(CompleteTask, learns_private_ratings_within_the_target) {
  const EntrySplit split = split_entries(known_ratings(), 0.2, 1);
  for (const CompleteTask& task : private_completions()) {
    const CompletionResult result = run(sensitive(split.kept), task);
    ASSERT_TRUE(result.certificate);
    EXPECT_FALSE(result.training);
    const Perturbation where = task.privacy.perturb;
    const bool bare = where == Perturbation::gradient || where == Perturbation::output;
    EXPECT_EQ(result.certificate->proved, !bare) << result.method << result.certificate->why;
    if (task.privacy.as_published) continue;
    EXPECT_LE(result.certificate->epsilon, 20) << result.method;
    EXPECT_LT(error_on(split.held_out, result), 0.95 * error_of_the_mean(split)) << result.method;
  }
}

TEST(CompleteTask, makes_exactly_the_releases_of_its_plan) {
  const ObservedEntries data = known_ratings();
  for (const CompleteTask& task : private_completions()) {
    RatingShape shape = shape_of(data);
    shape.positions_tell = positions_tell(data);
    const Plan planned = plan(task, shape);
    const CompletionResult result = run(sensitive(data), task);
    EXPECT_EQ(releases_of(planned), releases_of(*result.certificate)) << planned.method;
    EXPECT_EQ(result.method, planned.method);
    EXPECT_EQ(result.certificate->statement.unit, planned.statement.unit);
    double share = 0;
    for (const PlannedRelease& release : planned.releases) share += release.share;
    EXPECT_LE(share, 1 + 1e-12) << planned.method;
    // Noise that a plan announces is the noise that was drawn.
    for (const PlannedRelease& release : planned.releases) {
      if (!release.noise) continue;
      const auto& records = result.certificate->releases;
      const auto made = std::find_if(records.begin(), records.end(), [&](const auto& line) {
        return line.record.what == release.what;
      });
      ASSERT_NE(made, records.end()) << release.what;
      EXPECT_EQ(made->record.noise, *release.noise) << release.what;
    }
  }
}

TEST(CompleteTask, a_plan_does_not_look_at_the_values) {
  const TemporaryFolder folder;
  put(folder / "r.csv", "user,item,rating\na,x,1\nb,x,2\na,y,3\n");
  put(folder / "s.csv", "user,item,rating\nb,x,secret\na,y,nan\na,x,\n");
  const CompleteTask task = private_completion();
  const RatingShape shape = read_rating_shape(folder / "r.csv", task);
  EXPECT_EQ(shape.dims, (std::vector<Index>{2, 2, 1}));
  EXPECT_EQ(shape.ratings, 3);
  const RatingShape other = read_rating_shape(folder / "s.csv", task);
  EXPECT_EQ(other.dims, shape.dims);
  EXPECT_EQ(other.ratings, shape.ratings);
}

TEST(CompleteTask, refuses_sensitive_ratings_without_epsilon_and_public_ones_with_it) {
  EXPECT_ERROR(run(sensitive(known_ratings()), plain_completion()), "`epsilon`: is needed");
  EXPECT_ERROR(run(made_public(known_ratings()), private_completion()), "`epsilon`: only works");
  EXPECT_ERROR(check_ratings(sensitive(known_ratings()), plain_completion()), "`epsilon`");
}

TEST(CompleteTask, refuses_options_that_have_no_effect_on_a_private_run) {
  CompleteTask task = private_completion();
  task.completion.patience = 9;
  EXPECT_ERROR(task.check(), "`patience`: has no effect");
  task = private_completion();
  task.completion.lambda = {1};
  EXPECT_ERROR(task.check(), "`lambda`: has no effect");
  task.privacy.perturb = Perturbation::input;  // after the noise, everything is free
  EXPECT_NO_THROW(task.check());
  task.privacy.as_published = true;
  EXPECT_NO_THROW(task.check());
  task.completion.method = CompletionMethod::als;
  EXPECT_ERROR(task.check(), "`method`: has no effect");
  task.completion.method = CompletionMethod::sgd;
  EXPECT_NO_THROW(task.check());
}

TEST(CompleteTask, a_private_run_needs_a_public_range) {
  CompleteTask task = private_completion();
  task.file.range.clear();
  EXPECT_ERROR(task.check(), "`range`");
}

TEST(CompleteTask, a_step_that_is_too_long_is_a_status) {
  CompleteTask task = plain_completion();
  task.completion.method = CompletionMethod::sgd;
  task.completion.step = 1e9;
  EXPECT_EQ(run(made_public(known_ratings()), task).status, FitStatus::diverged);
  for (const auto where : {Perturbation::input, Perturbation::gradient, Perturbation::output}) {
    task = private_completion();
    task.privacy.as_published = true;
    task.privacy.perturb = where;
    task.completion.method = CompletionMethod::sgd;
    task.completion.step = 1e9;
    EXPECT_EQ(run(sensitive(known_ratings()), task).status, FitStatus::diverged);
  }
}

TEST(CompleteTask, a_test_file_with_protected_places_is_refused) {
  const TemporaryFolder folder;
  put(folder / "r.csv", "user,item,rating\na,x,1\nb,x,2\na,y,3\n");
  put(folder / "t.csv", "user,item,rating\nb,y,4\n");
  CompleteTask task = private_completion();
  task.test = folder / "t.csv";
  const CompletionResult result = run(read_ratings(folder / "r.csv", task.reading()), task);
  ASSERT_TRUE(result.scores);
  EXPECT_EQ(result.scores->entries, 1);
  put(folder / "t.csv", "user,item,rating\na,y,4\n");
  EXPECT_ERROR(run(read_ratings(folder / "r.csv", task.reading()), task), "holds 1 of the places");
}

TEST(CompleteTask, checks_public_ratings_and_learns_nothing) {
  ObservedEntries entries({3, 2, 1});
  for (const auto& [u, i] : {std::pair(0, 0), {0, 1}, {2, 1}, {2, 1}}) {
    entries.append(std::vector<std::int32_t>{u, i, 0}, u + i);
  }
  const RatingCheck found = check_ratings(made_public(std::move(entries)), plain_completion());
  EXPECT_EQ(found.duplicates, 1);
  EXPECT_EQ(found.empty_slices, (std::vector<Index>{1, 0, 0}));
  EXPECT_EQ(found.ratings_of_rows, (std::vector<Index>{0, 2, 2}));
  EXPECT_EQ(found.lowest, 0);
  EXPECT_EQ(found.highest, 3);
}

// ---- unit user ----

LabelTable numbers_up_to(Index count) {
  LabelTable labels;
  for (Index n = 1; n <= count; ++n) labels.add(std::to_string(n));
  return labels;
}

CompleteTask user_completion() {
  CompleteTask task = private_completion(4);
  task.privacy.unit = RatingUnit::user;
  task.privacy.items = "items.txt";  // read by read_user_files alone
  return task;
}

ObservedEntries many_users(const KnownUsers& truth, std::int32_t users, Index times = 1) {
  SeededRandom random(2);
  ObservedEntries entries({users, truth.items, times});
  for (std::int32_t u = 0; u < users; ++u) {
    for (const auto& [item, value, time] : truth.draw(random)) {
      const auto t = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(times)));
      entries.append(std::vector<std::int32_t>{u, item, t}, value);
    }
  }
  return entries;
}

TEST(CompleteUsers, learns_items_and_makes_the_releases_of_its_plan) {
  const KnownUsers truth(60);
  for (const auto& [users, times] : {std::pair(3000, 1), {3000, 2}, {40, 1}}) {
    UserFiles files;
    files.rows.items = numbers_up_to(60);
    if (times > 1) files.rows.times = numbers_up_to(times);
    CompleteTask task = user_completion();
    task.privacy.users = users;
    const Plan planned = plan(task, files.rows);
    EXPECT_TRUE(planned.held_by_budget);
    const UserCompletionResult result =
        run_users(sensitive(many_users(truth, users, times)), files, task);
    EXPECT_TRUE(result.certificate.proved) << result.certificate.why;
    EXPECT_LE(result.certificate.epsilon, 4);
    ReleaseCounts announced = releases_of(planned), made = releases_of(result.certificate);
    // Items cannot pay among 40 users: the plan says so, and the mean alone is released.
    const bool with_items = users == 3000;
    EXPECT_EQ(planned.forecasts.at(0).value <= users, with_items);
    // How many numbers the pair moment has follows from releases.
    EXPECT_EQ(made.erase("pair moment of popular items"), with_items ? 1u : 0u);
    EXPECT_EQ(announced.erase("pair moment of popular items"), with_items ? 1u : 0u);
    EXPECT_EQ(announced, made);
    if (users == 3000) {
      EXPECT_LT((result.model.effects - truth.effects).norm(), 0.4 * truth.effects.norm());
    }
  }
}

TEST(CompleteUsers, scores_test_users_by_their_own_ratings) {
  const TemporaryFolder folder;
  put(folder / "items.txt", "1\n2\n3\n");
  put(folder / "given.csv", "user,item,rating\nme,1,5\nme,2,1\n");
  put(folder / "test.csv", "user,item,rating\nme,3,4\nyou,1,2\n");
  put(folder / "r.csv", "user,item,rating\na,1,5\nb,2,3\n");
  CompleteTask task = user_completion();
  task.privacy.items = folder / "items.txt";
  task.test = folder / "test.csv";
  EXPECT_ERROR(task.check(), "`test`: needs `given`");
  task.given = folder / "given.csv";
  const UserCompletionResult result =
      run_users(read_ratings(folder / "r.csv", task.reading()), read_user_files(task), task);
  ASSERT_TRUE(result.scores);
  EXPECT_EQ(result.scores->entries, 2);
  put(folder / "test.csv", "user,item,rating\nme,2,4\n");
  EXPECT_ERROR(read_user_files(task), "`given` holds too");
}

TEST(CompleteUsers, refuses_public_ratings_and_other_units) {
  UserFiles files;
  files.rows.items = numbers_up_to(60);
  const ObservedEntries data = many_users(KnownUsers(60), 10);
  EXPECT_ERROR(run_users(made_public(data), files, user_completion()), "`epsilon`: only works");
  EXPECT_ERROR(run_users(sensitive(data), files, private_completion()), "`unit` user");
  EXPECT_ERROR(run(sensitive(data), user_completion()), "run_users");
}

}  // namespace
}  // namespace sotto
