#pragma once
#include <string>
#include <vector>

struct Stop {
  std::string name;
  int minutes;
};

int total_minutes(const std::vector<Stop> &stops);
std::string longest_leg(const std::vector<Stop> &stops);
