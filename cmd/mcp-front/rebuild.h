/* Makes a database again from the folders' record.json, summary.json and details. */
#ifndef MCP_FRONT_REBUILD_H
#define MCP_FRONT_REBUILD_H

#include "cmd/mcp-front/db.h"

/* What cannot be read is left out. Records that are not terminal keep their owner. */
void rebuild(struct db *);

#endif
