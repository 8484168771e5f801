/* The one line that a person could act on. */
#ifndef BEP_REDUCE_HEADLINE_H
#define BEP_REDUCE_HEADLINE_H

#include "cmd/bep-reduce/summary.h"

void headline_make(struct summary *);

#endif
