/* Starting the stages of a chain (chain.h). */
#ifndef MCP_FRONT_STAGES_H
#define MCP_FRONT_STAGES_H

#include "cmd/mcp-front/chain.h"

#define READER_LINE (64UL * 1024) /* longest line of progress that is looked at */

/* Words of the stages, for people, in the invocation's folder. */
#define STAGES_WORDS "capture.log"

#define STAGES_FIFO "events.fifo"

/*
 * Starts argv[0] with `in` and `out` as 0 and 1, and `third` (-1: none) as 3. All stay the caller's.
 * False: errno is kept for stage_why.
 */
bool stage_start(struct stage *, const char *folder, const struct argv *, int in, int out,
                 int third);
/* "bep-tail cannot be started: …"; malloc'ed. */
char *stage_why(const struct stage *);

/*
 * What Bazel must not be without: the FIFO with bep-fifo, or bes-recv. May fall back to tail. Where
 * `endpoint_reader` is open afterwards, Bazel has to wait for the endpoint.
 */
void stages_prepare(struct chain *);
/* Starts what else comes before bep-reduce; gives the descriptor that frames come from, or -1. */
int stages_open(struct chain *);
/* Starts the --drain of a source that died. */
void stages_drain(struct chain *);

#endif
