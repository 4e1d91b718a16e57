// How documents come from topics.
#pragma once

#include <array>

#include "sotto/base/enum_names.h"

namespace sotto {

enum class DocumentModel {
  lda,     // a document mixes topics, in proportions from a Dirichlet distribution
  single,  // a document has one topic: the limit of small Dirichlet parameters
};
constexpr auto enum_names(DocumentModel) {
  return std::to_array<EnumName<DocumentModel>>(
      {{DocumentModel::lda, "lda"}, {DocumentModel::single, "single"}});
}

}  // namespace sotto
