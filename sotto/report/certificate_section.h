// The certificate of a private result in plain words.
#pragma once

#include "sotto/privacy/certificate.h"
#include "sotto/report/page.h"
#include "sotto/report/result.h"

namespace sotto {

// The sentence under the title, and its colour.
void say_private(const Certificate& certificate, Page& page);
void say_not_private(Page& page);  // data was read, and no privacy was asked for
void say_made_up(Page& page);      // no data was read
// A result of `sotto apply`; `source` is the model: {folder, command, privacy}, the last as in its
// own result.json.
void say_applied(const Json& source, Page& page);

// What is protected, against what, and how much is promised.
PageSection certificate_section(const Certificate& certificate);
// Each release with its cost.
PageSection releases_section(const Certificate& certificate);
// The model of a result of `sotto apply`, with its certificate.
PageSection source_section(const Json& source);

}  // namespace sotto
