#include "cov/interest.h"

int main() { return interest(1000, 2) == 102 ? 0 : 1; }
