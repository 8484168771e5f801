/* Lines of programs that no rule knows, and whether they complain. */
#ifndef BEP_REDUCE_COMPLAINT_H
#define BEP_REDUCE_COMPLAINT_H

#include "cmd/bep-reduce/slice.h"

/* Whether a line complains, in words that programs use for it; a usage text or a remark does not. */
bool complaint_is(struct slice line);

/* How many bytes complaint_seek looks at a time; it reads two more. */
#define COMPLAINT_BLOCK 4096

/*
 * A fast sieve for long logs: false if no word of trouble begins in the block's COMPLAINT_BLOCK bytes; true if one may: "error", "fail",
 * "fatal", "fault", "panic", "exception", in any case, or the beginning of another word that has three letters in common.
 */
bool complaint_may_begin(const char *block);

#endif
