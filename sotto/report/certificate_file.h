// certificate.md: the certificate of a private result on one sheet, for people.
#pragma once

#include <string>

#include "sotto/report/document.h"

namespace sotto {

std::string certificate_file(const ResultDocument& document);

}  // namespace sotto
