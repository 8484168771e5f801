/* --print-config: how a client is told to start us. */
#ifndef MCP_FRONT_CLIENTS_H
#define MCP_FRONT_CLIENTS_H

#include <stdbool.h>
#include <stdio.h>

#define CLIENTS_NAMES "claude-code, claude-desktop, cursor, vscode, codex"

/* Prints the snippet and where it goes. False: no such client. */
bool clients_print(const char *client, FILE *);

#endif
