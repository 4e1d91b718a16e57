// Which part of the ratings is public, and which is not: between what was read and a private run.
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

// The two parts of ratings, unit rating: the same entries in the same order, with 0 in place of
// each value, and the values.
struct SplitRatings {
  Ratings positions;
  RatingValues values;
};
SplitRatings split(Sensitive<Ratings> ratings);

// Users' ratings with items and times numbered by public lists, for PrivateUsers.
struct SensitiveUsers {
  RatingFormat format;
  std::string user_column;  // what tells the users apart: "the column userId"
  Index in_all;             // ratings, with those of users of other shards
  Sensitive<ObservedEntries> entries;
};
SensitiveUsers number_users(Sensitive<Ratings> ratings, const ListedRows& rows);

}  // namespace sotto
