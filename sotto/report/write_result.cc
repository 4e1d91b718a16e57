#include "sotto/report/write_result.h"

#include "sotto/report/result_page.h"

namespace sotto {

void write_result(OutputFolder& folder, ResultDocument& document) {
  document.files(folder.names());
  folder.write_text("result.json", to_text(json_of(document)));
  folder.write_text("report.html", render(page_of(document)));
  folder.commit();
}

}  // namespace sotto
