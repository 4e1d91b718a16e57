// The certificate of a private result in plain words.
#pragma once

#include "sotto/privacy/certificate.h"
#include "sotto/report/page.h"

namespace sotto {

// The sentence under the title, and its colour.
void say_private(const Certificate& certificate, Page& page);
void say_not_private(Page& page);  // data was read, and no privacy was asked for
void say_made_up(Page& page);      // no data was read

// What is protected, against what, how much is promised, and each release with its cost.
PageSection certificate_section(const Certificate& certificate);

}  // namespace sotto
