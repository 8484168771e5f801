/*
 * What a process that died, or a machine, has left in FILE: whole frames, then at most one that is
 * torn. A tail that is torn is kept beside it, never thrown away.
 */
#ifndef BEP_DURABLE_RECOVER_H
#define BEP_DURABLE_RECOVER_H

#include <stdint.h>

/*
 * Finds the end of the last whole frame in the file at `fd` and how many there are. A torn tail goes to
 * PATH.torn (which it replaces), is safe there, and only then cut off. EX_OK, or what has been said on
 * stderr: 65 the file is no stream of frames, and is left alone; 74.
 */
int recover(int fd, const char *path, uint64_t max_frame, uint64_t *end, uint64_t *frames);

#endif
