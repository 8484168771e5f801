/*
 * --details DIR: everything that a view pages through, as JSON lines with the summary's fields, and copies of failed
 * tests' logs and XML, taken when their event arrives, because the next run overwrites them. DIR is made 0700, its
 * files 0600.
 */
#ifndef BEP_REDUCE_DETAILS_H
#define BEP_REDUCE_DETAILS_H

#include <stdbool.h>

#include "cmd/bep-reduce/reduce.h"
#include "cmd/bep-reduce/summary.h"
#include "common/text/redact.h"

#define DETAILS_LOG_MAX_BYTES  (4UL * 1024 * 1024)   /* of one copied log: excerpt.h */
#define DETAILS_LOGS_MAX_BYTES (256UL * 1024 * 1024) /* of all copies */

struct details {
    const char *folder;
    struct redact *redact; /* NULL: none */
    uint64_t copied;       /* bytes of logs */
    int error;             /* errno of the first failure, 0: none */
};

/* Makes the folders. -1 and errno. */
int details_open(struct details *, const char *folder, struct redact *);

/* For reducer.on_log: copies an attempt's log and XML to test-logs/ and sets `copy` of both. */
void details_copy_logs(void *details, const struct files *, struct state *, const struct test *,
                       struct attempt *);

/* Writes the JSON lines. -1 and errno. */
int details_write(struct details *, const struct summary *);

#endif
