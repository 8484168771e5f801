#pragma once

struct Entry {
  long amount;
  int day;
};

long balance(const Entry *entries, int count);
