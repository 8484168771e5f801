#include "cov/interest.h"

long interest(long amount, int years) {
  if (amount < 0)
    return 0;
  long sum = amount;
  for (int i = 0; i < years; i++)
    sum += sum / 20;
  return sum - amount;
}
