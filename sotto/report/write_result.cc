#include "sotto/report/write_result.h"

#include "sotto/base/signature.h"
#include "sotto/report/certificate_file.h"
#include "sotto/report/result_page.h"

namespace sotto {

void write_result(OutputFolder& folder, ResultDocument& document) {
  if (document.is_private()) folder.write_text("certificate.md", certificate_file(document));
  document.files(folder.names());
  folder.write_text("report.html", render(page_of(document)));
  document.digests(folder.digests());
  const std::string text = result_text(document);
  folder.write_text("result.json", text);
  if (document.statement().key) {
    folder.write_text("result.json.sig", document.statement().key->sign(text));
  }
  folder.commit();
}

}  // namespace sotto
