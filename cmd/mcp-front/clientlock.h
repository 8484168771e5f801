/*
 * The lock that Bazel's clients take on an output base before they talk to its server: OUTPUT_BASE/lock, by
 * fcntl(2). A client that waits for it says so in words that differ by version, or says nothing; so it is
 * looked up in /proc which of the files that it has open is one, and who has it.
 */
#ifndef MCP_FRONT_CLIENTLOCK_H
#define MCP_FRONT_CLIENTLOCK_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether a process of `group` waits for such a lock. *holder: whoever has it; 0 where neither the kernel nor
 * the file says that.
 */
bool clientlock_waits(pid_t group, pid_t *holder);

#endif
