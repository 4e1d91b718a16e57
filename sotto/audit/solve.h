// A system of equations small enough to be solved by hand: this folder knows no matrices.
#pragma once

#include <vector>

namespace sotto::audit {

// Solves a x = b in place, by Cholesky's factors: `a` is positive definite, its lower half by rows.
void solve_symmetric(std::vector<double>& a, std::vector<double>& b);

}  // namespace sotto::audit
