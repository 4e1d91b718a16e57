// The result of `sotto mixture`, declared for result.json and the page.
#pragma once

#include "sotto/report/document.h"
#include "sotto/tasks/mixture.h"

namespace sotto {

void describe(const MixtureResult& result, ResultDocument& document);

}  // namespace sotto
