// The page of a run, made from its result.json and from nothing else: what may stand in the one may
// stand in the other, so a page of a private run shows nothing that was not released.
//
// There is no code for a command here. What a result holds decides what is shown: weights and lists
// as long as they become a table and a chart, topics become cards, histories and spectra curves,
// `privacy` a certificate in plain words; what is left stands in a table at the end.
#pragma once

#include "sotto/report/page.h"
#include "sotto/report/result.h"

namespace sotto {

Page result_page(const Json& result);

}  // namespace sotto
