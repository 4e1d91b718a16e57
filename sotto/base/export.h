// Marks what the shared libraries export. The public headers, listed in cmake/public_headers.txt,
// open the namespace with it; what all other headers declare stays inside.
//
//   namespace SOTTO_API sotto {
#pragma once

#define SOTTO_API [[gnu::visibility("default")]]
