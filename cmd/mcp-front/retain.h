/*
 * What is cleared away, and in which order: first a success's events and console logs, then records by
 * age (successes earlier than the rest), then, while the store is larger than maximum_storage_bytes, the
 * evidence of successes, the evidence of the rest, successes, the rest; oldest first, down to four
 * fifths. Never what runs, and never a record that a task promises; its evidence may go.
 */
#ifndef MCP_FRONT_RETAIN_H
#define MCP_FRONT_RETAIN_H

#include "cmd/mcp-front/db.h"

/* One round; nothing where another server is at it. An SQLite result. */
int retain(struct db *, int64_t now_ms);

#endif
