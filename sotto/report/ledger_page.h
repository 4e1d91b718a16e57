// A ledger over runs as a page: the limit of each data set, the curve of spending, every run.
//
// The page is for whoever keeps the ledger: it tells which runs broke off, which may depend on the
// data.
#pragma once

#include <vector>

#include "sotto/ledger/run_ledger.h"
#include "sotto/report/page.h"

namespace sotto {

Page ledger_page(const std::vector<LedgerAccount>& accounts);

}  // namespace sotto
