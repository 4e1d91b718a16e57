// What a mechanism is: noise, what it costs and the line of the certificate, in one object.
//
// M is a Mechanism for some data when release(data, stream) returns what may leave: the data with
// noise added, or an answer chosen with noise. Mechanisms that add noise to a block of numbers
// (Gaussian, Laplace, vector) are all BlockMechanisms and differ only in their law.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "sotto/privacy/grid.h"
#include "sotto/privacy/release_record.h"
#include "sotto/privacy/secure_stream.h"

namespace sotto {

template <class M>
concept Recorded = requires(const M& mechanism) {
  { mechanism.record() } -> std::convertible_to<const ReleaseRecord&>;
};

// Noise on a sum over a secret sample of the records, a new sample at each release. No Mechanism in
// the sense below: noise on a sum over all records would cost more than its record says.
template <class M>
concept SampledMechanism = Recorded<M> &&
    requires(const M& mechanism, std::int64_t records, NoiseStream stream) {
  { mechanism.sample(records, std::move(stream)) } -> std::same_as<std::vector<std::size_t>>;
};

template <class M, class Data>
concept Mechanism = Recorded<M> && !SampledMechanism<M> &&
                    requires(const M& mechanism, Data data, NoiseStream stream) {
  mechanism.release(std::forward<Data>(data), std::move(stream));
};

// Blocks that own their numbers rather than view them: vectors and matrices, and tensors by their
// unique entries.
template <class Block>
concept PlainBlock = !std::ranges::view<Block> && requires(Block & block) {
  { block.data() } -> std::same_as<double*>;
  block.size();
};
template <class Block>
concept PackedBlock = !std::ranges::view<Block> && requires(Block & block) {
  { block.packed() } -> std::same_as<std::span<double>>;
};
template <class Block>
concept NumberBlock = PlainBlock<Block> || PackedBlock<Block>;

template <NumberBlock Block>
std::span<double> span_over(Block& block) {
  if constexpr (PackedBlock<Block>) {
    return block.packed();
  } else {
    return {block.data(), static_cast<std::size_t>(block.size())};
  }
}

class BlockMechanism {
 public:
  virtual ~BlockMechanism() = default;
  const ReleaseRecord& record() const { return record_; }
  Cost cost() const { return record_.cost; }
  double grid_step() const { return grid_.step(); }
  // The variance of the noise in one number; for a symmetric block, in isometric coordinates.
  double variance() const { return variance_; }

  // out = value + noise, exactly, on the grid. `out` may be `value` itself. Refuses a block of
  // another size than the record says, and one that is not finite.
  void release(std::span<const double> value, NoiseStream stream, std::span<double> out) const;

  template <NumberBlock Block>
  Block release(Block block, NoiseStream stream) const {
    const std::span<double> numbers = span_over(block);
    release(numbers, std::move(stream), numbers);
    return block;
  }

 protected:
  explicit BlockMechanism(const Grid& grid) : grid_(grid) {}

  Grid grid_;
  ReleaseRecord record_;
  double variance_ = 0;

 private:
  virtual void add_noise(std::span<const double> value, const NoiseStream& stream,
                         std::span<double> out) const = 0;
};

}  // namespace sotto
