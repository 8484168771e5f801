/*
 * What the lines of a client mean (spec: MCP, revisions 2024-11-05 to 2026-07-28). The era is decided for
 * each request: one whose params._meta names a protocol version is stateless and stands for itself, any
 * other belongs to the session that `initialize` negotiates. Nothing is locked.
 */
#ifndef MCP_FRONT_SESSION_H
#define MCP_FRONT_SESSION_H

#include "cmd/mcp-front/request.h"

#define META_PREFIX "io.modelcontextprotocol/"

/* What the handshake agreed on. */
struct session {
    enum revision revision;
    bool initialized;
    bool dotted_names; /* this client is known to take dots in tool names */
};

void session_init(struct session *);
/* One line of stdin, without its end. */
void session_line(struct server *, const char *text, size_t len);
void session_line_too_long(struct server *);

/* Adds {name: …} to an object: small helpers of those who build results. */
void put_string(struct json_object *, const char *key, const char *text);
void put_int(struct json_object *, const char *key, int64_t);
void put_bool(struct json_object *, const char *key, bool);

#endif
