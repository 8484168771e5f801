#include "broken/cc_compile/ledger.h"

int main() { return balance(nullptr, 0) != 0; }
