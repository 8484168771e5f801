#include <cassert>

static int leap_days(int from, int to) {
  int days = 0;
  for (int year = from; year < to; year++)
    days += year % 4 == 0;
  return days;
}

int main() {
  assert(leap_days(1999, 2005) == 2);
  assert(leap_days(1899, 1905) == 1);
}
