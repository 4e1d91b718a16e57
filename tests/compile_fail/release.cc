// Ways into the data of release/ that must not compile: its headers give no access to it.
#include <utility>

#include "sotto/release/private_documents.h"
#include "sotto/release/private_stream.h"
#include "sotto/release/protected_tensor.h"
#include "sotto/release/rating_gradients.h"

using namespace sotto;

Index right_ways(const Sensitive<Corpus>& corpus) { return public_shape(corpus).documents; }

void wrong_ways(Sensitive<Corpus>& corpus, Sensitive<Documents>& held, RatingValues& values,
                Sensitive<AnyTensor>& tensor, PrivateDocuments& documents,
                PrivateStreamOracle& stream, PrivateRun& run) {
  ReleaseAccess::view(corpus);            // error: incomplete type 'sotto::ReleaseAccess'
  values.size();                          // error: has no member named 'size'
  values[0];                              // error: no match for 'operator\[\]'
  for (const double x : values) (void)x;  // error: has no member named 'begin'
  RatingValues kept = values;             // error: use of deleted function
  documents.documents_;                   // error: is private within this context
  stream.records_;                        // error: is private within this context
  PrivateDocuments borrowed(held, run);   // error: use of deleted function
  protected_tensor(tensor, false);        // error: use of deleted function
}
