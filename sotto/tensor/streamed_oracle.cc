#include "sotto/tensor/streamed_oracle.h"

#include "sotto/base/error.h"

namespace sotto {

void check_resumed(const PointSource& source, const StreamPosition& position) {
  SOTTO_REQUIRE_AT(source.position() == position.record, source.name(),
                   "has {} records, but {} had been read when the checkpoint was written",
                   source.position(), position.record);
  SOTTO_REQUIRE_AT(
      source.digest() == position.digest, source.name(),
      "its first {} records are not those that the answers in the checkpoint were made "
      "from: give the same records in the same order",
      position.record);
}

}  // namespace sotto
