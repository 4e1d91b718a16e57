// The result of `sotto stream`, declared for result.json and the page.
#pragma once

#include "sotto/report/document.h"
#include "sotto/tasks/stream.h"

namespace sotto {

void describe(const StreamResult& result, ResultDocument& document);

}  // namespace sotto
