// The page of a run, made from the document that declares its result: the other visitor beside
// json_of, so every number on the page is one of result.json, and a page of a private run shows
// nothing that was not released.
//
// There is no code for a command here, and nothing is guessed from keys: what an element was
// declared to be decides where it stands.
#pragma once

#include "sotto/report/document.h"
#include "sotto/report/page.h"

namespace sotto {

Page page_of(const ResultDocument& document);

}  // namespace sotto
