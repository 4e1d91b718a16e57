// Reads some slices of a symmetric tensor from a plain .npy file in C order, by ranges: only the
// entries whose smallest index is a leading index of these slices. Every entry of the file is read
// for one part of the tensor and for no other.
//
// Refuses NaN, infinite and large values (large_values.h). Memory: three numbers for each entry
// that is kept, two of them until its permutations have been compared.
#pragma once

#include <functional>
#include <string>

#include "sotto/tensor/dense_tensor.h"
#include "sotto/tensor/sharded_tensor.h"

namespace sotto {

// The shape of such a file. Refuses, naming it, what cannot be read from any place on.
std::vector<Index> sliceable_dims(const std::string& path);

// Fills `slices`, which have the shape of the file. `before_read` is called now and then, and may
// throw to end the work.
void read_slices(const std::string& path, HeldSlices& slices,
                 const std::function<void()>& before_read = {});

}  // namespace sotto
