// What of ratings is public, and what is not: the door between what was read and a private run.
//
// Unit rating: who rated what and when is public, and so are format, columns and labels; the values
// are not. Unit user: nothing of the ratings is public. Format and columns of the file follow from
// options, its name and its header, never from a rating (io/read_ratings.h), and are public.
#pragma once

#include <string>

#include "sotto/base/sensitive.h"
#include "sotto/release/rating_sums.h"
#include "sotto/tensor/ratings.h"

namespace sotto {

// The two parts of ratings, unit rating: the same entries in the same order, and where each value
// stood a 0.
struct SplitRatings {
  Ratings positions;
  RatingValues values;
};
SplitRatings split(Sensitive<Ratings> ratings);

// Users' ratings, items and times numbered by public lists: what PrivateUsers takes.
struct SensitiveUsers {
  RatingFormat format;
  std::string user_column;  // what tells the users apart: "the column userId"
  Sensitive<ObservedEntries> entries;
};
SensitiveUsers number_users(Sensitive<Ratings> ratings, const ListedRows& rows);

}  // namespace sotto
