// The result of `sotto topics`, declared for result.json and the page.
#pragma once

#include "sotto/report/document.h"
#include "sotto/tasks/topics.h"

namespace sotto {

void describe(const TopicsResult& result, ResultDocument& document);

}  // namespace sotto
