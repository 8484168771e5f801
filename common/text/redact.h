/*
 * Takes secrets out of text before it leaves: tokens, keys, passwords, URLs with credentials, bearer
 * headers, and patterns of the user's own (PCRE2). What matches becomes "[REDACTED]"; of a pattern with a
 * group named `secret`, only that group. A pattern that hits the match limit takes the whole line.
 *
 * A file of patterns (bep-reduce --redact) has one a line; empty lines and lines that begin with '#' are
 * skipped. The built-in patterns always apply.
 *
 * Words are secrets as they are, wherever they stand, and are looked for before the patterns. A pattern that
 * is quoted as a whole ("\Qhunter2hunter2") is one.
 */
#ifndef TEXT_REDACT_H
#define TEXT_REDACT_H

#include "common/base/buf.h"

#include <stdbool.h>
#include <stddef.h>

#define REDACT_MARK "[REDACTED]"

struct redact;

/* With the built-in patterns. NULL: out of memory. */
struct redact *redact_new(void);
void redact_free(struct redact *);

/* Adds one pattern. False: it does not compile, and `why` says what and where. */
bool redact_add(struct redact *, const char *pattern, struct buf *why);
/* Adds those of a file's text. False and `why` ("line 3: …") for the first bad one. */
bool redact_add_file(struct redact *, const char *text, size_t len, struct buf *why);

/*
 * Appends the text to `out` with its secrets taken out. Any bytes are taken. Redact first and cut then: a
 * secret that is cut in its middle may no longer match. Not thread-safe with one `struct redact`; each
 * thread has its own. When it does not fit or memory is out, `out` is as it was.
 */
enum buf_status redact_text(struct redact *, const char *text, size_t len, struct buf *out);

/* In a list of words each has a NUL behind it. Shorter ones stand in too many places for another reason. */
#define REDACT_WORD_MIN 8

/* Sets the words that are secrets beside those of the patterns. They must stay as long; NULL: none. */
void redact_words(struct redact *, const struct buf *words);
/* Adds a word to a list, each line of it for itself. */
void redact_add_word(struct buf *words, const char *word, size_t len);
/* Adds the secrets that are found in a text to a list. */
void redact_learn(struct redact *, const char *text, size_t len, struct buf *words);
/* Adds the words of a file of patterns to a list. */
void redact_read_words(const char *text, size_t len, struct buf *words);

/*
 * Whether a value is a secret because of its name, though it does not look like one: of "password" and
 * "=", or of "--password" and " ". `between` is what stands between the two in text.
 */
bool redact_named(struct redact *, const char *name, const char *between);

/* Whether args[at] is the value of a flag before it: "--token", "x"; "--test_arg=--token", "--test_arg=x". */
bool redact_argument(struct redact *, const char *const *args, size_t at);

/*
 * The same for one line of a long text that comes line by line, without its newline: a private key that
 * began in an earlier line goes on being taken out. `state` begins as REDACT_LINES_INIT.
 */
struct redact_lines {
    bool inside_key;
};
#define REDACT_LINES_INIT                                                                          \
    {                                                                                              \
        0                                                                                          \
    }
enum buf_status redact_line(struct redact *, struct redact_lines *state, const char *line,
                            size_t len, struct buf *out);
/* Follows the state over a line that is not shown. */
void redact_skip_line(struct redact_lines *state, const char *line, size_t len);

#endif
