/*
 * From facts to causes: gives each failed action, failed test, aborted target and block of console text to the recognisers
 * with everything that is known of it, in the order in which Bazel told them.
 */
#ifndef BEP_REDUCE_EVIDENCE_H
#define BEP_REDUCE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/bep-reduce/diag.h"
#include "cmd/bep-reduce/paths.h"
#include "cmd/bep-reduce/state.h"
#include "common/base/buf.h"

struct console_log {
    struct buf out, err; /* Bazel's stdout and stderr, progress left out */
    uint64_t rows;       /* lines of stdout, those included for which `out` had no room */
};

struct evidence_options {
    const struct paths *paths;
    bool succeeded;      /* whatever is found is a warning at most */
    bool program_failed; /* after `run`: the program that Bazel started */
    int program_exit;
};

void evidence_gather(const struct state *, const struct console_log *,
                     const struct evidence_options *, struct diag_list *);

#endif
