// What a certificate claims about the beginning of its run: the releases up to some place, at any
// delta (audit.md, 3).
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "sotto/privacy/certificate.h"

namespace sotto::audit {

// What the first releases are like, for the best test against them. `pure`: nothing but epsilon is
// known; `sampled`: the best test has no closed form.
enum class NoiseKind { gaussian, laplace, pure, sampled };

class Claims {
 public:
  // Refuses a certificate that proves nothing.
  explicit Claims(const Certificate& certificate);

  // How many releases the run makes, one by one.
  std::size_t releases() const { return releases_; }
  PrivacyClaim whole() const { return {certificate_.epsilon, certificate_.statement.delta}; }

  // Deltas at which claims are compared, rising. The first is that of the certificate.
  const std::vector<double>& deltas() const { return deltas_; }
  // epsilon of the first `count` releases at each delta. All of them: what the certificate states,
  // budget included.
  const std::vector<double>& epsilons(std::size_t count) const;

  // The same for a run whose releases have this share of the noise that is claimed.
  std::vector<double> epsilons_with(double share_of_noise, std::size_t count) const;

  NoiseKind noise(std::size_t count) const;

 private:
  std::vector<double> account(std::size_t count, double share_of_noise) const;
  std::vector<double> account_budget() const;

  Certificate certificate_;
  std::size_t releases_ = 0;
  std::vector<double> deltas_;
  mutable std::map<std::size_t, std::vector<double>> known_;
};

}  // namespace sotto::audit
