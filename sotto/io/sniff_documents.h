// Which of the formats of document_reader.h a text is in, by its first lines.
#pragma once

#include <optional>
#include <string_view>

#include "sotto/io/document_reader.h"

namespace sotto {

// No control characters but those that end lines and words.
bool is_text(std::string_view head);

// Whether the first lines, four or more of them, are numbers and nothing else: no documents in
// words.
bool has_numbers_alone(std::string_view head, bool cut);

// `head` is how the text begins; `cut` when there is more of it. None: something else.
std::optional<DocumentFormat> sniff_documents(std::string_view head, bool cut);

}  // namespace sotto
