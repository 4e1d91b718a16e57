// The page of a run, made from the document that declares its result. Like json_of it visits the
// elements of the document. So every number on the page is also in result.json, and the page of a
// private run shows nothing that was not released.
//
// No code here depends on a command, and nothing is guessed from keys: the kind of an element
// decides where it is shown.
#pragma once

#include "sotto/report/document.h"
#include "sotto/report/page.h"

namespace sotto {

Page page_of(const ResultDocument& document);

}  // namespace sotto
