// Ways around Sensitive, Input and Released that must not compile (base/sensitive.h).
#include <iostream>
#include <utility>

#include "sotto/base/sensitive.h"

using namespace sotto;

int right_ways() {
  Sensitive<int> data(1);
  Sensitive<int> moved = std::move(data);
  Sensitive<long> longer = std::move(moved).transform([](int&& x) -> long { return x; });
  Input<long> input(std::move(longer));
  Input<long> other = std::move(input);
  Sensitive<long> taken = std::move(other).sensitive();
  return static_cast<int>(std::move(taken).open(PublicDeclaration("made up")));
}

int from(const Released<int>& released) { return released.value(); }

void wrong_ways() {
  Sensitive<int> data(1);
  int leak = 0;

  data.value_ = 2;                          // error: is private within this context
  leak = data;                              // error: cannot convert
  std::cout << data;                        // error: no match for 'operator<<'
  if (data == data) return;                 // error: no match for 'operator=='
  Sensitive<int> copied(data);              // error: use of deleted function
  data = copied;                            // error: use of deleted function
  std::move(data).open("just this once");   // error: to 'const sotto::PublicDeclaration&'
  data.open(PublicDeclaration("made up"));  // error: discards qualifiers
  std::move(data).transform([&](int x) { return leak = x; });    // error: must not capture
  std::move(data).transform([](int&& x) -> int& { return x; });  // error: must return a new
  ReleaseAccess::view(data);  // error: incomplete type 'sotto::ReleaseAccess'

  Input<int> raw(1);                                 // error: no matching function for call to
  Input<int> undeclared(Sensitive<int>(1), "mine");  // error: no matching function for call to
  Input<int> input(Sensitive<int>(1));
  Input<int> again(input);                // error: use of deleted function
  leak = input.open();                    // error: discards qualifiers
  input.declaration_.emplace("made up");  // error: is private within this context
  leak = std::move(input).sensitive();    // error: cannot convert

  from(Released<int>(1));   // error: is private within this context
  from(1);                  // error: invalid initialization of reference
  from(Sensitive<int>(1));  // error: invalid initialization of reference
}
