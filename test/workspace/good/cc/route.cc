#include "good/cc/route.h"

int total_minutes(const std::vector<Stop> &stops) {
  int sum = 0;
  for (const Stop &stop : stops)
    sum += stop.minutes;
  return sum;
}

std::string longest_leg(const std::vector<Stop> &stops) {
  std::string name;
  int most = -1;
  for (const Stop &stop : stops) {
    if (stop.minutes > most) {
      most = stop.minutes;
      name = stop.name;
    }
  }
  return name;
}
