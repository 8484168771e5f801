/* Private to outlock.c: where the lock files are and what stands in them. */
#ifndef MCP_FRONT_OUTLOCK_FILE_H
#define MCP_FRONT_OUTLOCK_FILE_H

#include "cmd/mcp-front/outlock.h"

/* The file of a key; malloc'ed, or NULL. Touches no disk. */
char *outlock_file_path(const char *key);

/* Makes the folder where it is missing, checks that it is ours alone, opens the file. -1 and errno. */
int outlock_file_open(const char *path);

/* Whether the open file is still what `path` names. */
bool outlock_file_is(int fd, const char *path);

/* Writes who we are into a file that is locked; takes it out again and unlocks. */
void outlock_file_sign(int fd, const char *invocation_id);
void outlock_file_unsign(int fd);

/* Fills pid, invocation_id and since_ms; leaves them where nothing is known. */
void outlock_file_owner(const char *path, struct outlock_owner *);

#endif
