/* Which lines of the console are Bazel's own, and what its header lines say. */
#ifndef BEP_REDUCE_CONSOLE_HEADER_H
#define BEP_REDUCE_CONSOLE_HEADER_H

#include "cmd/bep-reduce/console.h"

/* The length of "(12:34:56) " or "(12:34:56.789) ", which --show_timestamps puts before Bazel's own lines; else 0. */
size_t console_timestamp(struct slice line);
/* A line that begins something new where Bazel speaks. */
bool console_is_header(struct slice line);
/* A line that ends an action's output: no tool prints it (an action's own "ERROR: …" is no such line). */
bool console_interrupts(struct slice line);
/* What stands between a failed action's header and its output. */
bool console_is_hint(struct slice line);
/* The line of 80 '=' below a test's log. */
bool console_is_ruler(struct slice line);

/*
 * Reads "PATH:LINE:COLUMN: WHAT failed: (Exit 1): …", in the forms of Bazel 2 to 9; false for other text. `reason` is then
 * what stands instead of an exit status, or empty.
 */
bool console_parse_action(struct slice text, struct console_block *, struct slice *reason);
/* The first label in the text, or empty. */
struct slice console_label(struct slice text);

/* Reasons that are told elsewhere, in more words. */
bool console_is_consequence(struct slice reason);
/* The reason is the absence of outputs, which lines before named. */
bool console_is_missing_outputs(struct slice reason);

#endif
