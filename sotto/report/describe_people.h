// Declares the result of `decompose --unit person` for result.json and the page.
#pragma once

#include <string>

#include "sotto/report/document.h"
#include "sotto/tasks/people.h"

namespace sotto {

void describe(const PeopleResult& result, ResultDocument& document);

// What a terminal shows of it: lines with line ends.
std::string to_text(const PeopleResult& result);

}  // namespace sotto
