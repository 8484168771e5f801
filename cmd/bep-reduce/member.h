/* Members of a JSON object that are left out where there is nothing to say. */
#ifndef BEP_REDUCE_MEMBER_H
#define BEP_REDUCE_MEMBER_H

#include <stdint.h>

#include "common/json/write.h"

/* NULL: left out. */
static inline void member_text(struct json_writer *w, const char *key, const char *value)
{
    if (value)
        json_put_string(w, key, value);
}

/* 0 and below: left out. */
static inline void member_positive(struct json_writer *w, const char *key, int64_t value)
{
    if (value > 0)
        json_put_int(w, key, value);
}

/* Below 0: left out. */
static inline void member_known(struct json_writer *w, const char *key, int64_t value)
{
    if (value >= 0)
        json_put_int(w, key, value);
}

#endif
