#include <cstdio>

#include "cov/interest.h"

int main() {
  std::printf("interest(-5, 1) is %ld, expected -1\n", interest(-5, 1));
  return interest(-5, 1) == -1 ? 0 : 1;
}
