/*
 * The pipeline of one invocation: source, bep-durable (not for tail), bep-reduce, as argv and
 * descriptors. Programs come from the folder of our own executable, never from PATH. Each stage is in a
 * process group of its own and ends by the end of its input; the source follows the guard (guard.h).
 *
 *     chain_open      starts the stages; `ready` comes when Bazel may start, from within where nothing
 *                     has to be waited for, and before the stages that Bazel does not need
 *     chain_flags     what Bazel's command line needs
 *     …               Bazel runs; a source that dies meanwhile is replaced by its --drain
 *     chain_finish    Bazel is gone: what the stream does not say is given to bep-reduce
 *     `ended`         the summary is there, no stage is left
 */
#ifndef MCP_FRONT_CHAIN_H
#define MCP_FRONT_CHAIN_H

#include "cmd/mcp-front/argv.h"
#include "cmd/mcp-front/config.h"
#include "cmd/mcp-front/reader.h"
#include "common/proc/spawn.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <uv.h>

#define CHAIN_STAGES 3

/* A summary has at most 1,000 diagnostics of some 3 KiB. */
#define CHAIN_MAX_SUMMARY (16UL * 1024 * 1024)

/* How far the work has come; numbers are -1 where unknown. */
struct chain_progress {
    char phase[32];
    int64_t actions_done, actions_total, tests_done, failed;
    char waiting_for[256];
};

struct chain_spec {
    uv_loop_t *loop;
    const char *tools;    /* folder of the programs */
    const char *folder;   /* of the invocation */
    const char *patterns; /* file for bep-reduce --redact */
    const char *command;
    const char *workspace;
    const char *invocation_id;
    bool has_events; /* false: the console output alone is reduced, at the end */
    enum config_transport transport;
    enum config_sync sync;
    pid_t guard;
    void (*ready)(void *data);
    void (*progressed)(void *data);
    void (*ended)(void *data);
    void *data;
};

struct stage {
    const char *name;
    struct child child;
    bool lingers; /* its end tells nothing once the stream is complete, and may come late */
    bool failed;  /* by what it was replaced or left out is said in `fault` */
};

struct chain {
    struct chain_spec spec;
    enum config_transport transport; /* in use, after a fall-back */
    char *fallback;                  /* why it is not the configured one; NULL: it is */
    char *fault;                     /* what went wrong later; NULL: nothing */
    struct stage stages[CHAIN_STAGES];
    int stage_count;
    struct stage drain; /* in place of a source that died */
    struct reader *summary_reader, *progress_reader, *endpoint_reader;
    struct json_object *summary; /* what bep-reduce gave; NULL: nothing */
    struct chain_progress progress;
    int frames;      /* from the source, until the next stage has it; -1: none */
    int hold;        /* fifo: a reader, so that Bazel survives a source that dies; -1: none */
    char *endpoint;  /* bes: where Bazel uploads to */
    bool reading;    /* bep-reduce has its stdout open */
    bool finishing;  /* Bazel is gone */
    bool incomplete; /* the events end without the last message */
    bool again;      /* bep-reduce runs for the second time, on the file */
    bool released;
    int exit_code; /* Bazel's; -1: it did not exit by itself */
};

/* `spec` is copied, its strings must live as long as the chain. Faults never stop the invocation. */
void chain_open(struct chain *, const struct chain_spec *);
/* Appends the flags of the transport; `bazel_major`: of Bazel's version, 0 where unknown. */
void chain_flags(const struct chain *, int bazel_major, struct argv *);
void chain_finish(struct chain *, int exit_code);
/* When SIGCHLD has come. */
void chain_reap(struct chain *);
/* Something hangs: ends every stage. `ended` still comes. */
void chain_kill(struct chain *);
void chain_release(struct chain *);

/* {transport, fallback?, fault?, complete?, displaced?}: for the reply; the caller's. */
struct json_object *chain_capture(const struct chain *);

#endif
