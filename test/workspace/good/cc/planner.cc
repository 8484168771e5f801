#include <cstdio>

#include "good/cc/route.h"

int main() {
  std::vector<Stop> stops = {{"harbour", 12}, {"museum", 7}, {"airport", 31}};
  std::printf("%d minutes, longest to %s\n", total_minutes(stops), longest_leg(stops).c_str());
}
