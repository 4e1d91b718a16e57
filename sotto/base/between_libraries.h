// What the shared library sotto shows to sotto_report alone: a header that is not installed opens
// the namespace with it. Public headers have a mark of their own (base/export.h).
//
//   namespace SOTTO_BETWEEN_LIBRARIES sotto {
#pragma once

#define SOTTO_BETWEEN_LIBRARIES [[gnu::visibility("default")]]
