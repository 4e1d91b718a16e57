// What a terminal shows of a result.
#pragma once

#include "sotto/tasks/decompose.h"
#include "sotto/tasks/topics.h"

namespace sotto::cli {

void print_found(const DecomposeResult& result);
void print_found(const TopicsResult& result);

}  // namespace sotto::cli
