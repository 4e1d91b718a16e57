// The result of `sotto decompose`, declared for result.json and the page.
#pragma once

#include "sotto/report/document.h"
#include "sotto/tasks/decompose.h"

namespace sotto {

void describe(const DecomposeResult& result, ResultDocument& document);

}  // namespace sotto
