// Sections of a page as Markdown: sentences, facts and tables; charts and cards are left out.
#pragma once

#include <string>

#include "sotto/report/page.h"

namespace sotto {

// Text that is shown as it stands, whatever it holds.
std::string markdown_text(const std::string& text);

// Ends with an empty line.
std::string markdown_of(const PageSection& section);

}  // namespace sotto
