/* The tests' part of evidence.h: logs and test.xml of those that did not pass. */
#ifndef BEP_REDUCE_TESTEVIDENCE_H
#define BEP_REDUCE_TESTEVIDENCE_H

#include "cmd/bep-reduce/blocks.h"
#include "cmd/bep-reduce/diag.h"
#include "cmd/bep-reduce/state.h"

void evidence_of_tests(const struct state *, const struct blocks *, const struct paths *,
                       struct diag_list *);

#endif
