#include "sotto/release/tap.h"

namespace sotto {

void tap(const ReleaseRecord&, ReleaseContents) {}

}  // namespace sotto
