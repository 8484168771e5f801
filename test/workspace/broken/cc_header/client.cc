#include <string>

#include "net/retry_policy.h"

std::string endpoint() { return "localhost"; }
