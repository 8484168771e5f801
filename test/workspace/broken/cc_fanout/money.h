#pragma once

inline long cents(int units) {
  return units * kCentsPerUnit;
}
