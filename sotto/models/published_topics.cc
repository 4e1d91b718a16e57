#include "sotto/models/published_topics.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "sotto/base/error.h"
#include "sotto/models/simplex.h"
#include "sotto/release/private_documents.h"
#include "sotto/tensor/contraction.h"

namespace sotto {
namespace {

// Where a method puts its noise: on the moments, or after whitening.
struct Method {
  const char* name = "";
  std::optional<MomentNoise> moments = {};
  WhitenedNoise whitened = WhitenedNoise::power;
  bool single_topic = false;
};

constexpr Method kMethods[] = {
    {.name = "agn", .moments = MomentNoise::agn, .single_topic = true},
    {.name = "avn", .moments = MomentNoise::avn, .single_topic = true},
    {.name = "dp-tpm", .whitened = WhitenedNoise::power, .single_topic = true},
    {.name = "esmaeili-1", .moments = MomentNoise::esmaeili},
    {.name = "esmaeili-2", .whitened = WhitenedNoise::tensor},
    {.name = "esmaeili-3", .whitened = WhitenedNoise::components},
    {.name = "esmaeili-4", .whitened = WhitenedNoise::topics},
};

const Method& find_method(const std::string& name) {
  const Method* found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                     [&](const Method& method) { return name == method.name; });
  SOTTO_REQUIRE_AT(found != std::end(kMethods), "`as-published`", "there is no method {}", name);
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

// Noise may have made a parameter negative; none may vanish.
TopicModel finish(const RawTopics& raw) {
  const double total = raw.alpha.cwiseMax(0.0).sum();
  const double least = 1e-3 * (total > 0 ? total : 1) / static_cast<double>(raw.alpha.size());
  return {truncate_columns(raw.columns), raw.alpha.cwiseMax(least)};
}

}  // namespace

OptionTable PublishedTopicOptions::table() {
  std::vector<std::string> choices = {"off"};
  for (const Method& method : kMethods) choices.emplace_back(method.name);
  return OptionTable().choice("as-published", as_published, choices,
                              "the noise of a paper, for comparison: Imtiaz & Sarwate 2018 (agn, "
                              "avn, dp-tpm; single topic) "
                              "or a configuration of Esmaeili & Huang 2018; at most 500 words");
}

PublishedTopicFit fit_published_topics(const Sensitive<Corpus>& corpus, const TopicOptions& options,
                                       const std::string& as_published, const PrivacyTarget& target,
                                       NoiseKey key, const std::string& place) {
  const Method& method = find_method(as_published);
  const PublicCorpusShape shape = public_shape(corpus);
  SOTTO_REQUIRE_AT(shape.words > 0, "`vocab`",
                   "is needed: the words of {} would otherwise be read off its documents", place);
  SOTTO_REQUIRE_AT(options.topics <= shape.words, "`topics`",
                   "cannot exceed the {} words of the vocabulary, got {}", shape.words,
                   options.topics);
  const PublishedSetting setting{options.concentration(), target};
  SOTTO_REQUIRE_AT(!method.single_topic || setting.alpha0 == 0, "`as-published`",
                   "{} is a method for `model` single", method.name);
  PrivacyStatement statement = document_statement(shape, target);
  statement.budget.reset();  // the releases are fixed; what they cost is computed
  statement.claimed = PrivacyClaim{target.epsilon, target.delta};
  PrivateRun run(statement, std::move(key));
  if (method.moments) {
    const DenseMoments noisy =
        release_published_moments(corpus, *method.moments, setting, run).value();
    return {finish(recover(noisy, options, *method.moments)), run.certify(), {}};
  }
  WhitenedRelease release =
      release_whitened(corpus, method.whitened, setting, power_options(options), run).value();
  return {finish(release.topics), run.certify(), std::move(release.conditions)};
}

}  // namespace sotto
