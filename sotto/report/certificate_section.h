// The certificate of a private result in plain words, from the `privacy` object of result.json.
#pragma once

#include "sotto/report/page.h"
#include "sotto/report/result.h"

namespace sotto {

// The sentence under the title, and its colour. `privacy` may be null: nothing was asked for.
void set_notice(const Json& privacy, bool has_input, Page& page);

// What is protected, against what, how much is promised, and each release with its cost.
PageSection certificate_section(const Json& privacy);

}  // namespace sotto
