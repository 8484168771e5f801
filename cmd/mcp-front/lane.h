/*
 * Jobs of the store, in order, one at a time, on libuv's pool: so a store takes one thread of it for
 * writing and one for reading, and the loop none. Private to store*.c and view.c.
 */
#ifndef MCP_FRONT_LANE_H
#define MCP_FRONT_LANE_H

#include "cmd/mcp-front/db.h"
#include "cmd/mcp-front/lease.h"
#include "cmd/mcp-front/store.h"
#include "common/base/arena.h"

#include <uv.h>

struct lane;

/* The first member of every kind of job. */
struct job {
    struct job *next;
    struct lane *lane;
    struct arena arena;         /* copies of what the caller gave; freed after `done` */
    void (*work)(struct job *); /* on the pool */
    void (*done)(struct job *); /* on the loop */
    enum store_status status;
    struct buf words;
};

struct lane {
    struct store *store;
    uv_work_t work;
    struct job *first, **end;
    struct job *running;
    struct db primary;  /* .root NULL: not open */
    struct db fallback; /* in the temporary folder, for what the primary one could not take */
    bool writes;
    struct buf why; /* the last reason why the primary one is not to be had */
};

struct store {
    uv_loop_t *loop;
    const struct config *config;
    struct lane writer, reader;
    uv_mutex_t mutex; /* for `temporary`, which both lanes make and use */
    char *temporary;  /* folder; NULL: none yet */
    char owner[LEASE_NAME_SIZE];
    int lease;             /* used by the writer */
    struct buf late;       /* what went wrong after its answer; used on the loop */
    struct job *unwritten; /* ends that could not be kept yet; used by the writer */
    int closing;           /* lanes that have not closed yet */
    void (*closed)(void *data);
    void *closed_data;
};

/* A job of `size` bytes, cleared. */
void *job_new(size_t size, void (*work)(struct job *), void (*done)(struct job *));
void job_submit(struct lane *, struct job *);
/* A copy that lives as long as the job; NULL for NULL. */
const char *job_copy(struct job *, const char *text);
const char *const *job_copy_list(struct job *, const char *const *items);
/* `words` for a callback: NULL where there are none. */
const char *job_words(struct job *);

/* On the pool: the database, opened if need be. NULL: it is not to be had, lane->why says why. */
struct db *lane_primary(struct lane *);
/* The temporary one. `make`: where there is none yet, makes it. */
struct db *lane_fallback(struct lane *, bool make);
/* A result of SQLite on the primary one: a damaged one is closed, and the next lane_primary repairs it. */
bool lane_is_damaged(struct lane *, int result);
/* Closes both. */
void lane_close(struct lane *);

/* What a job does to a database; gives an SQLite result, SQLITE_NOTFOUND, or SQLITE_MISUSE for a final record. */
typedef int (*db_step)(struct db *, struct job *);

/* Adds to a job's words what could not be told in time. */
void store_add_late(struct job *);

/* Runs it on the primary database, once more after a repair. `used`: NULL where it is not to be had. */
int store_on_primary(struct lane *, struct job *, db_step, struct db **used);
/* The same, and on the temporary one where the primary one is not to be had or does not know the record. */
int store_on_either(struct lane *, struct job *, db_step);
enum store_status store_status_of(int result);

/* A file that is given up when the disk is full, so that the end of an invocation finds room. */
void reserve_make(const char *root);
bool reserve_release(const char *root);

#endif
