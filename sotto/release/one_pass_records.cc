#include "sotto/release/one_pass_records.h"

#include "sotto/base/unquoted.h"
#include "sotto/release/access.h"

namespace sotto {

Index OnePassRecords::read(Index max_rows, PointBlock& block) {
  try {
    return source_->read(max_rows, block);
  } catch (const Error& error) {
    refuse_records(error, source_->name(), "");
  }
}

RecordTotal OnePassRecords::sum_next(const RecordSum& sum, Index most) {
  try {
    return source_->sum_next(sum, most);
  } catch (const Error& error) {
    refuse_records(error, source_->name(), "");
  }
}

void OnePassRecords::skip(Index count) {
  try {
    source_->skip(count);
  } catch (const Error& error) {
    refuse_records(error, source_->name(), "");
  }
}

PublicStream public_stream(const SensitivePoints& data) {
  const PointSource& source = *ReleaseAccess::view(data);
  SOTTO_REQUIRE_AT(source.dim_is_declared(), "`dim`",
                   "is needed: the dimension of {} would otherwise be read off the records",
                   source.name());
  return {source.dim(), source.records(), source.name(), source.has_random_access()};
}

}  // namespace sotto
