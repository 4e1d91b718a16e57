// A certificate for decision makers without a background in statistics: what is protected and from
// whom, how much, what is not protected, and whether such numbers are usual. For the page and for
// certificate.md.
#pragma once

#include <vector>

#include "sotto/report/document.h"
#include "sotto/report/page.h"

namespace sotto {

// None for a document that is not private.
std::vector<PageSection> plain_words(const ResultDocument& document);

}  // namespace sotto
