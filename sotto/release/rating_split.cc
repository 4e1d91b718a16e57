#include "sotto/release/rating_split.h"

#include <utility>

#include "sotto/release/access.h"

namespace sotto {

SplitRatings split(Sensitive<Ratings> ratings) {
  Ratings positions = ReleaseAccess::take(std::move(ratings));
  std::vector<double> none(positions.entries.value.size(), 0);
  RatingValues values(std::exchange(positions.entries.value, std::move(none)));
  return {std::move(positions), std::move(values)};
}

SensitiveUsers number_users(Sensitive<Ratings> ratings, const ListedRows& rows) {
  const Ratings& opened = ReleaseAccess::view(ratings);
  return {opened.format, opened.user_column, opened.entries.size() + opened.left_out,
          Sensitive<ObservedEntries>(numbered(rows, opened))};
}

}  // namespace sotto
