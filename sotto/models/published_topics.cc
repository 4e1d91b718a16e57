#include "sotto/models/published_topics.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/models/private_topics_plan.h"
#include "sotto/models/simplex.h"
#include "sotto/release/private_documents.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// Where a method puts its noise: on the moments, or after whitening.
struct PublishedMethod {
  PublishedTopics method = PublishedTopics::off;
  std::optional<MomentNoise> moments = {};
  WhitenedNoise whitened = WhitenedNoise::power;
  bool single_topic = false;
};

constexpr PublishedMethod kPublishedMethods[] = {
    {.method = PublishedTopics::agn, .moments = MomentNoise::agn, .single_topic = true},
    {.method = PublishedTopics::avn, .moments = MomentNoise::avn, .single_topic = true},
    {.method = PublishedTopics::dp_tpm, .whitened = WhitenedNoise::power, .single_topic = true},
    {.method = PublishedTopics::esmaeili_1, .moments = MomentNoise::esmaeili},
    {.method = PublishedTopics::esmaeili_2, .whitened = WhitenedNoise::tensor},
    {.method = PublishedTopics::esmaeili_3, .whitened = WhitenedNoise::components},
    {.method = PublishedTopics::esmaeili_4, .whitened = WhitenedNoise::topics},
};

const PublishedMethod& find_published(PublishedTopics method) {
  const PublishedMethod* found =
      std::find_if(std::begin(kPublishedMethods), std::end(kPublishedMethods),
                   [&](const PublishedMethod& each) { return method == each.method; });
  SOTTO_REQUIRE_AT(found != std::end(kPublishedMethods), "`as-published`", "there is no method {}",
                   name_of(method));
  return *found;
}

PowerOptions power_options(const TopicOptions& options) {
  PowerOptions power;
  power.components = options.topics;
  power.starts = options.starts;
  power.iterations = options.iterations;
  power.seed = options.seed;
  return power;
}

RawTopics recover(const DenseMoments& noisy, const TopicOptions& options, MomentNoise noise) {
  const SingularWhitening whitening = singular_whitening(noisy.second, options.topics);
  const SymmetricTensor tensor = transform(noisy.third, whitening.whiten);
  TensorOracle oracle(tensor);
  const PowerOptions power = power_options(options);
  const Decomposition found = noise == MomentNoise::esmaeili
                                  ? simultaneous_power_method(oracle, power)
                                  : robust_power_method(oracle, power);
  return unwhiten_topics(found.weights, found.vectors(), whitening.unwhiten,
                         options.concentration());
}

// Noise may have made a parameter negative; every parameter must be positive.
TopicModel finish(const RawTopics& raw) {
  const double total = raw.alpha.cwiseMax(0.0).sum();
  const double least = 1e-3 * (total > 0 ? total : 1) / static_cast<double>(raw.alpha.size());
  return {truncate_columns(raw.columns), raw.alpha.cwiseMax(least)};
}

}  // namespace

Plan plan_published_topics(const PublicCorpusShape& shape, const TopicOptions& options,
                           PublishedTopics method, const PrivacyTarget& target) {
  const PublishedMethod& how = find_published(method);
  SOTTO_REQUIRE_AT(shape.words > 0, "`vocab`",
                   "is needed: the words would otherwise be read off the documents");
  require_words(options.topics, shape.words);
  const PublishedSetting setting{options.concentration(), target};
  SOTTO_REQUIRE_AT(!how.single_topic || setting.alpha0 == 0, "`as-published`",
                   "{} is a method for `model` single", name_of(method));
  Plan plan;
  plan.statement = document_statement(shape, target);
  plan.statement.budget.reset();  // the releases are fixed; what they cost is computed
  plan.statement.claimed = PrivacyClaim{target.epsilon, target.delta};
  plan.target = target;
  plan.method =
      fmt::format("{}, as published{}", name_of(method), how.moments ? "" : ", without a proof");
  plan.settings = {{"topics", options.topics}};
  plan.releases = how.moments ? plan_published_moments(shape, *how.moments, setting)
                              : plan_whitened(shape, how.whitened, setting, power_options(options));
  return plan;
}

PublishedTopicFit fit_published_topics(const Sensitive<Corpus>& corpus, const TopicOptions& options,
                                       PublishedTopics method, const PrivacyTarget& target,
                                       PrivateRun& run) {
  const PublishedMethod& how = find_published(method);
  const PublishedSetting setting{options.concentration(), target};
  if (how.moments) {
    const DenseMoments noisy =
        release_published_moments(corpus, *how.moments, setting, run).value();
    return {finish(recover(noisy, options, *how.moments)), {}};
  }
  WhitenedRelease release =
      release_whitened(corpus, how.whitened, setting, power_options(options), run).value();
  return {finish(release.topics), std::move(release.conditions)};
}

}  // namespace sotto
