/* Bazel's own messages: one of them, with its further lines, becomes one cause or none. */
#ifndef BEP_REDUCE_RECOGNISE_BAZEL_H
#define BEP_REDUCE_RECOGNISE_BAZEL_H

#include "cmd/bep-reduce/recognise.h"

/* For EVIDENCE_FAILURE and EVIDENCE_CONSOLE; see recognise(). */
size_t recognise_bazel(const struct evidence *, struct diag_list *);

#endif
