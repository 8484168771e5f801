/* What a command was asked for: rows of a query, keys of info, the program's end of run, coverage. */
#ifndef BEP_REDUCE_RESULTS_H
#define BEP_REDUCE_RESULTS_H

#include "cmd/bep-reduce/files.h"
#include "cmd/bep-reduce/summary.h"

/* Rows and keys of the console's stdout. */
void results_of_command(struct summary *);
/* The combined report where there is one, else the union of the tests' own. */
void results_of_coverage(struct summary *, const struct files *);

#endif
