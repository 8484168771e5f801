/*
 * Which servers live: each holds an flock on cache_root/owners/OWNER.lock until it ends, however it ends.
 * Records of an owner that is gone and that are not terminal become `interrupted`.
 */
#ifndef MCP_FRONT_LEASE_H
#define MCP_FRONT_LEASE_H

#include "cmd/mcp-front/db.h"

#define LEASE_NAME_SIZE 33

/* A name that no other server has. False: no random bytes. */
bool lease_name(char name[LEASE_NAME_SIZE]);

/* Takes the lease; gives its descriptor, or -1 and errno. */
int lease_take(const char *root, const char *name);
/* Gives it back and removes its file. */
void lease_drop(const char *root, const char *name, int fd);

/* Ends the records of owners that are gone. Cheap where there are none. */
void lease_recover(struct db *);

#endif
