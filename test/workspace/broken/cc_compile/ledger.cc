#include "broken/cc_compile/ledger.h"

long balance(const Entry *entries, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++)
    sum += entries[i].amuont;
  return sum;
}
