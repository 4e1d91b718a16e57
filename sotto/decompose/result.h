// What every decomposition returns.
#pragma once

#include <vector>

#include "sotto/base/export.h"
#include "sotto/linalg/matrix.h"

namespace SOTTO_API sotto {

enum class Status {
  converged,        // every component met the tolerance
  completed,        // ran the fixed number of iterations asked for (tolerance 0)
  iteration_limit,  // at least one did not; what was found is returned
  stopped,          // the caller's progress callback asked to stop
};

inline const char* status_text(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::completed:
      return "completed";
    case Status::iteration_limit:
      return "iteration limit";
    case Status::stopped:
      return "stopped";
  }
  return "";
}

// One step towards component number `component`; a simultaneous method has 0 here and moves all of
// them.
struct HistoryPoint {
  Index component;
  int iteration;
  double change;  // largest movement |u - u_before| of an unfinished column, up to sign
  Index active;   // columns that had not converged when the step began
};

// T ~ sum_j weights[j] v_j (x) .. (x) v_j with unit vectors, largest |weight| first. A tensor
// without symmetry has one factor matrix for each mode; a symmetric one has one for all.
struct Decomposition {
  Vector weights;               // k
  std::vector<Matrix> factors;  // d_m x k, unit columns
  Vector residuals;             // |T(I, v_j, ..) - weights[j] v_j| on the tensor v_j was found in;
                                // empty when not asked for
  Vector agreement;             // share of the starts that reached this component
  std::vector<int> iterations;  // until this component met the tolerance
  std::vector<HistoryPoint> history;
  Status status = Status::converged;

  const Matrix& vectors() const { return factors.front(); }
  // Keeps the first k components.
  void keep_first(Index k);
  // Largest |weight| first.
  void sort_by_weight();
};

}  // namespace sotto
