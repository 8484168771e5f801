#include <cstdio>

#include "good/cc/route.h"

int main() {
  std::vector<Stop> stops = {{"a", 3}, {"b", 9}};
  if (total_minutes(stops) != 12 || longest_leg(stops) != "b") {
    std::printf("route_test: wrong sums\n");
    return 1;
  }
  return 0;
}
