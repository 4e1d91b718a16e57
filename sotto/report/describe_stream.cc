#include "sotto/report/describe.h"

namespace sotto {
namespace {

Json stream_history(const Decomposition& found) {
  Json history;
  for (const HistoryPoint& h : found.history) {
    history["component"].push_back(h.component);
    history["iteration"].push_back(h.iteration);
    history["change"].push_back(h.change);
  }
  return history;
}

}  // namespace

void describe(const StreamResult& result, ResultDocument& document) {
  const Decomposition& found = result.found;
  document.option("starts", result.stream.starts)
      .option("iterations", result.stream.iterations)
      .option("method", std::string(name_of(result.stream.method)));
  document.input("dim", result.dim, "Dimension");
  if (result.records) document.input("records", *result.records);
  if (result.certificate) document.certificate(*result.certificate);
  const Vector& agreement = found.agreement;
  document.weights(found.weights, "component")
      .entry_cards("vectors", found.vectors())
      .fact("status", status_text(found.status))
      .component_column("diagnostics/agreement",
                        std::vector<double>(agreement.begin(), agreement.end()))
      .component_column("diagnostics/iterations", found.iterations)
      .fact("points_read", result.points_read)
      .fact("batch", result.batch)
      .fact("answers", result.answers)
      .fact("answers_from_checkpoint", result.answers_from_checkpoint)
      .component_history(stream_history(found));
  if (result.certificate) {
    document.fact("max_norm", result.max_norm);
  } else {
    document.seconds(result.seconds);  // includes reading, which overlaps with the computation
  }
}

}  // namespace sotto
