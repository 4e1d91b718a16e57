#include "sotto/report/describe.h"
#include "sotto/report/json_parts.h"

namespace sotto {

void describe(const StreamResult& result, ResultDocument& document) {
  const Decomposition& found = result.found;
  document.option("starts", result.stream.starts)
      .option("iterations", result.stream.iterations)
      .option("method", std::string(name_of(result.stream.method)));
  document.input("dim", result.dim, "Dimension");
  if (result.records) document.input("records", *result.records);
  if (result.certificate) document.certificate(*result.certificate);
  if (result.spanned) {
    document
        .fit("spanned", *result.spanned,
             "Share of the squared length of points that the components span")
        .fact("spanned_records", result.spanned_records,
              "Points over which this share is computed");
  }
  document.weights(found.weights, "component")
      .columns("vectors", found.vectors(), {.labels = result.columns, .counted = true})
      .fact("status", status_text(found.status))
      .component_column("diagnostics/agreement", list_of(found.agreement))
      .component_column("diagnostics/iterations", found.iterations)
      .fact("points_read", result.points_read)
      .fact("batch", result.batch)
      .fact("answers", result.answers)
      .fact("answers_from_checkpoint", result.answers_from_checkpoint)
      .component_history(history_of(found));
  if (result.certificate) {
    document.fact("max_norm", result.max_norm);
  } else {
    document.seconds(result.seconds);  // includes reading, which overlaps with the computation
  }
}

}  // namespace sotto
