// The bases of a tensor's modes from few passes over it, instead of a Gram matrix of every mode.
//
// A randomised range finder with power steps (Halko, Martinsson & Tropp 2011), for several modes at
// once. X is the tensor as a matrix of its leading half of the modes by its trailing half.
//   1. Q is a basis of X W, W a Khatri-Rao product of `columns` normal vectors a mode. Where X has
//      few rows, a second step takes X^T Q for W;
//   2. the sketch X^T Q has the trailing modes in full and `columns` numbers at each place. Its
//      sequential HOSVD gives the bases of the trailing modes;
//   3. the tensor projected on them is small. Its sequential HOSVD gives all the rest.
// Cost: 2 N (2 columns + rank) flops, 4 N columns for a second step, and what the two small tensors
// take.
//
// The bases of a CP tensor of no more components than `columns` are found exactly. Of another, the
// trailing modes see the `columns` combinations of slices that X favours, and the leading modes all
// of the projection. The answer is the same for any number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "sotto/tensor/mode_product.h"

namespace sotto {

// Where X has too few rows or columns for a sketch to save work, this is sequential_bases.
// `power_steps`: 0 lets the shape decide.
ModeBases sketched_bases(const DenseTensor& tensor, const std::vector<Index>& ranks, Index columns,
                         std::uint64_t seed, int power_steps = 0);

}  // namespace sotto
