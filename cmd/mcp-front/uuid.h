/* UUIDs of version 7 (RFC 9562, 5.7): the time first, so that they sort by age; the rest is random. */
#ifndef MCP_FRONT_UUID_H
#define MCP_FRONT_UUID_H

#include <stdbool.h>

#define UUID_SIZE 37 /* with the NUL */

/* A new one, in lower case. */
void uuid_make(char text[UUID_SIZE]);

/*
 * Reads the spellings in use (with or without hyphens, in braces, urn:uuid:, any case) into the usual
 * one. False: it is none.
 */
bool uuid_parse(const char *text, char uuid[UUID_SIZE]);

#endif
