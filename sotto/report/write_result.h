// The last step of every command: puts its result into the output folder.
#pragma once

#include "sotto/base/export.h"
#include "sotto/io/output_folder.h"
#include "sotto/report/document.h"

namespace SOTTO_API sotto {

// Writes report.html, for a private result certificate.md, then result.json, which lists the files
// of the folder with their digests, and its signature where the document has a key; commits the
// folder.
void write_result(OutputFolder& folder, ResultDocument& document);

}  // namespace sotto
