#define PCRE2_CODE_UNIT_WIDTH 8
#include "common/text/redact.h"

#include <pcre2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A line of a megabyte that backtracks badly takes some 10 ms with these. */
#define MATCH_LIMIT    200000
#define HEAP_LIMIT_KIB 4096

#define KEY_BEGIN "-----BEGIN "
#define KEY_END   "-----END "

/* What names a secret, in flags, variables and fields; a prefix may stand before it. */
#define PREFIX "(?<![A-Za-z0-9])(?:[A-Za-z0-9_.-]{0,64}[_.-])?"
#define NAMES                                                                                      \
    "(?:pass(?:word|wd|phrase|code)?|pwd|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|"         \
    "private[_-]?keys?|secret[_-]?(?:access[_-]?)?keys?|account[_-]?key|signing[_-]?key|"          \
    "encryption[_-]?key|client[_-]?secret|credentials?|auth|sig|signature)"
/* Those that hardly ever stand before a colon or a word for another reason. */
#define SURE_NAMES                                                                                 \
    "(?:password|passwd|passphrase|api[_-]?key|access[_-]?key|secret[_-]?(?:access[_-]?)?key|"     \
    "client[_-]?secret|(?:access|auth|refresh|id|session|security|bearer)[_-]?token|secret)"
/* What stands behind "password:" in source code. */
#define TYPES                                                                                      \
    "(?!(?:string|str|int|bool|null|none|nil|undefined|number|char|bytes|any|optional|option)\\b)"

#define QUOTED "(?:\"(?<secret>[^\"\r\n]+)|'(?<secret>[^'\r\n]+))"

static const char *const built_in[] = {
    "(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    "(?:.{0,65535}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|.*)",
    /* headers */
    "(?i)\\bauthorization[\"']?\\s*[:=]\\s*[\"']?(?:(?:bearer|basic|token|digest|negotiate|apikey)"
    "\\s+)?"
    "(?<secret>[^\\s\"',;]+)",
    "\\b(?i:bearer)\\s+(?=\\S*[0-9]|[A-Z_]{8}|\\S*[a-z][A-Z])(?<secret>[A-Za-z0-9._~+/-]{8,}=*)",
    "\\b(?i:basic)\\s+(?=\\S*[0-9=])(?<secret>[A-Za-z0-9+/]{8,}={0,2})",
    "(?i)\\b(?:set-)?cookie\\s*:\\s*(?<secret>[^\\r\\n\"']+)",
    /* URLs */
    "[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\\s/:@\"'<>]{0,256}:(?<secret>[^\\s/\"'<>]+)@",
    "[A-Za-z][A-Za-z0-9+.-]{0,20}://(?<secret>[^\\s/:@\"'<>]{16,})@",
    /* NAME=value, --name=value, ?name=value; name = "value", "name": "value" */
    "(?i)" PREFIX NAMES "=(?<secret>[^\\s\"'&;,)\\]}]+)",
    "(?i)" PREFIX NAMES "\\s{0,8}=\\s{0,8}" QUOTED,
    "(?i)" PREFIX NAMES "[\"']\\s{0,8}(?::|=>?)\\s{0,8}" QUOTED,
    "(?i)" PREFIX SURE_NAMES "\\s{0,8}:\\s{0,8}" QUOTED,
    /* name: value, --name value */
    "(?i)" PREFIX SURE_NAMES "[\"']?\\s{0,8}:\\s{1,8}" TYPES "(?<secret>[^\\s\"',;(){}\\[\\]]+)",
    "(?i)--?(?:[a-z0-9_]{1,32}[_-]){0,4}(?:token|" SURE_NAMES ")\\s{1,8}(?<secret>[^\\s-]\\S*)",
    "(?i)(--[a-z_]{1,40}=)--?(?:[a-z0-9_]{1,32}[_-]){0,4}(?:token|" SURE_NAMES
    ")\\s{1,8}\\g1(?<secret>[^\\s-]\\S*)",
    "(?i)\\blogin\\s+\\S+\\s+password\\s+(?<secret>\\S+)",
    /* tokens that are known by their looks */
    "(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])",
    "gh[pousr]_[A-Za-z0-9]{20,}",
    "github_pat_[A-Za-z0-9_]{22,}",
    "gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-[A-Za-z0-9_-]{20,}",
    "xox[abeoprs]-[A-Za-z0-9-]{10,}",
    "\\bxapp-[0-9]-[A-Za-z0-9-]{10,}",
    "hooks\\.slack\\.com/(?:services|workflows)/(?<secret>[A-Za-z0-9/_-]+)",
    "AIza[0-9A-Za-z_-]{35}",
    "ya29\\.[0-9A-Za-z_-]{20,}",
    "GOCSPX-[0-9A-Za-z_-]{20,}",
    "\\bsk-(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{20,}",
    "\\b[rs]k_(?:live|test)_[A-Za-z0-9]{10,}",
    "\\bnpm_[A-Za-z0-9]{30,}",
    "\\bpypi-[A-Za-z0-9_-]{32,}",
    "\\bhf_[A-Za-z0-9]{30,}",
    "\\bdo[por]_v1_[a-f0-9]{64}",
    "dckr_pat_[A-Za-z0-9_-]{20,}",
    "eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]*",
};

struct pattern {
    pcre2_code *code;
    pcre2_match_data *match;
};

struct redact {
    struct pattern *patterns;
    size_t count;
    pcre2_match_context *context;
    struct buf own;          /* words of quoted patterns */
    const struct buf *words; /* those that were set; NULL: none */
    struct buf *learnt;      /* where secrets that are found go; NULL: nowhere */
    struct buf one, other;   /* a text between two patterns */
};

/* "\Q" quotes to the end where there is no "\E". */
static bool is_word(const char *text, size_t len)
{
    return len > 2 && !memcmp(text, "\\Q", 2) && !memmem(text, len, "\\E", 2);
}

static bool add(struct redact *r, const char *text, size_t len, struct buf *why)
{
    struct pattern *more, new;
    PCRE2_SIZE at;
    int error;

    if (is_word(text, len))
        return buf_add(&r->own, text + 2, len - 2) == BUF_OK && buf_add_char(&r->own, 0) == BUF_OK;
    more = realloc(r->patterns, (r->count + 1) * sizeof(*more));
    if (!more)
        return false;
    r->patterns = more;
    new.code = pcre2_compile((PCRE2_SPTR)text, len,
                             PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
                                 PCRE2_DUPNAMES,
                             &error, &at, NULL);
    if (!new.code) {
        PCRE2_UCHAR message[256];
        pcre2_get_error_message(error, message, sizeof(message));
        if (why)
            buf_printf(why, "%s at character %zu", (char *)message, at + 1);
        return false;
    }
    /* Without it everything works the same, more slowly. */
    pcre2_jit_compile(new.code, PCRE2_JIT_COMPLETE);
    new.match = pcre2_match_data_create_from_pattern(new.code, NULL);
    if (!new.match) {
        pcre2_code_free(new.code);
        return false;
    }
    r->patterns[r->count++] = new;
    return true;
}

struct redact *redact_new(void)
{
    struct redact *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    buf_init(&r->own, 0);
    buf_init(&r->one, 0);
    buf_init(&r->other, 0);
    r->context = pcre2_match_context_create(NULL);
    for (size_t i = 0; r->context && i < sizeof(built_in) / sizeof(built_in[0]); i++)
        if (!add(r, built_in[i], strlen(built_in[i]), NULL))
            break;
    if (r->count < sizeof(built_in) / sizeof(built_in[0])) {
        redact_free(r);
        return NULL;
    }
    pcre2_set_match_limit(r->context, MATCH_LIMIT);
    pcre2_set_heap_limit(r->context, HEAP_LIMIT_KIB);
    return r;
}

void redact_free(struct redact *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++) {
        pcre2_match_data_free(r->patterns[i].match);
        pcre2_code_free(r->patterns[i].code);
    }
    free(r->patterns);
    pcre2_match_context_free(r->context);
    buf_release(&r->own);
    buf_release(&r->one);
    buf_release(&r->other);
    free(r);
}

bool redact_add(struct redact *r, const char *pattern, struct buf *why)
{
    return add(r, pattern, strlen(pattern), why);
}

bool redact_add_file(struct redact *r, const char *text, size_t len, struct buf *why)
{
    const char *end = text + len;

    for (size_t line = 1; text < end; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((stop ? stop : end) - text);
        size_t whole = n + (stop ? 1 : 0);
        if (n && text[n - 1] == '\r')
            n--;
        if (n && *text != '#') {
            buf_printf(why, "line %zu: ", line);
            if (!add(r, text, n, why))
                return false;
            buf_clear(why);
        }
        text += whole;
    }
    return true;
}

/* The part of a match that is secret: the group of that name that took part, else everything. */
static void secret_part(const struct pattern *p, size_t *from, size_t *to)
{
    PCRE2_SIZE *ends = pcre2_get_ovector_pointer(p->match);
    PCRE2_SPTR first, last;
    int size = pcre2_substring_nametable_scan(p->code, (PCRE2_SPTR) "secret", &first, &last);

    *from = ends[0];
    *to = ends[1];
    if (size <= 0)
        return;
    for (PCRE2_SPTR entry = first; entry <= last; entry += size) {
        uint32_t i = (uint32_t)entry[0] << 8 | entry[1];
        if (ends[2 * i] != PCRE2_UNSET && ends[2 * i] < ends[2 * i + 1]) {
            *from = ends[2 * i];
            *to = ends[2 * i + 1];
        }
    }
}

static size_t line_end(const char *text, size_t len, size_t at)
{
    const char *stop = memchr(text + at, '\n', len - at);

    return stop ? (size_t)(stop - text) : len;
}

static bool is_mark_but_one(const char *text, size_t matched, size_t len)
{
    size_t mark = strlen(REDACT_MARK);

    return matched == mark - 1 && len >= mark && !memcmp(text, REDACT_MARK, mark);
}

static void learn(struct redact *r, const char *secret, size_t len)
{
    /* A pattern may stop before the mark's last bracket. */
    if (r->learnt && !memmem(secret, len, REDACT_MARK, strlen(REDACT_MARK) - 1))
        redact_add_word(r->learnt, secret, len);
}

/* Applies one pattern from `text` to `out`. */
static enum buf_status apply(struct redact *r, const struct pattern *p, const char *text,
                             size_t len, struct buf *out)
{
    size_t at = 0, from, to;
    enum buf_status status = BUF_OK;

    while (at < len && status == BUF_OK) {
        int n =
            pcre2_match(p->code, (PCRE2_SPTR)text, len, at, PCRE2_NOTEMPTY, p->match, r->context);
        if (n == PCRE2_ERROR_NOMATCH)
            break;
        if (n < 0) { /* a limit: what it could not look through is not shown */
            from = at;
            to = line_end(text, len, at);
            to += to == at;
        } else {
            secret_part(p, &from, &to);
        }
        if (from < at || to <= from)
            break;
        learn(r, text + from, to - from);
        status = buf_add(out, text + at, from - at);
        if (status == BUF_OK)
            status = buf_add_str(out, REDACT_MARK);
        /* A pattern before took it out already, and this one stopped before the last bracket. */
        at = to + is_mark_but_one(text + from, to - from, len - from);
    }
    return status == BUF_OK ? buf_add(out, text + at, len - at) : status;
}

static bool matches(struct redact *r, const struct pattern *p, const char *text, size_t len)
{
    return pcre2_match(p->code, (PCRE2_SPTR)text, len, 0, PCRE2_NOTEMPTY, p->match, r->context) !=
           PCRE2_ERROR_NOMATCH;
}

/* A text on its way: each step that changes it writes into the buffer that it does not lie in. */
struct passage {
    const char *text;
    size_t len;
    struct buf *to, *next;
};

static void step(struct passage *p)
{
    struct buf *swap = p->to;

    p->text = p->to->data;
    p->len = p->to->len;
    p->to = p->next;
    p->next = swap;
    buf_clear(p->to);
}

static enum buf_status take_word(struct passage *p, const char *word, size_t word_len)
{
    const char *at = p->text, *end = p->text + p->len;
    const char *found = memmem(at, p->len, word, word_len);
    enum buf_status status = BUF_OK;

    if (!found)
        return BUF_OK;
    for (; found && status == BUF_OK; found = memmem(at, (size_t)(end - at), word, word_len)) {
        status = buf_add(p->to, at, (size_t)(found - at));
        if (status == BUF_OK)
            status = buf_add_str(p->to, REDACT_MARK);
        at = found + word_len;
    }
    if (status == BUF_OK)
        status = buf_add(p->to, at, (size_t)(end - at));
    step(p);
    return status;
}

static enum buf_status take_words(struct passage *p, const struct buf *words)
{
    enum buf_status status = BUF_OK;

    for (size_t at = 0, n; words && at < words->len && status == BUF_OK; at += n + 1) {
        n = strlen(words->data + at);
        status = take_word(p, words->data + at, n);
    }
    return status;
}

enum buf_status redact_text(struct redact *r, const char *text, size_t len, struct buf *out)
{
    struct passage p = {text, len, &r->one, &r->other};
    enum buf_status status;

    buf_clear(&r->one);
    buf_clear(&r->other);
    status = take_words(&p, &r->own);
    if (status == BUF_OK)
        status = take_words(&p, r->words);
    for (size_t i = 0; i < r->count && status == BUF_OK; i++) {
        if (!matches(r, &r->patterns[i], p.text, p.len))
            continue;
        status = apply(r, &r->patterns[i], p.text, p.len, p.to);
        step(&p);
    }
    return status == BUF_OK ? buf_add(out, p.text, p.len) : status;
}

void redact_words(struct redact *r, const struct buf *words)
{
    r->words = words;
}

void redact_add_word(struct buf *words, const char *word, size_t len)
{
    const char *end = word + len;

    for (size_t n; word < end; word += n + 1) {
        const char *stop = memchr(word, '\n', (size_t)(end - word));
        n = (size_t)((stop ? stop : end) - word);
        if (n >= REDACT_WORD_MIN && !memchr(word, 0, n)) {
            buf_add(words, word, n);
            buf_add_char(words, 0);
        }
    }
}

void redact_learn(struct redact *r, const char *text, size_t len, struct buf *words)
{
    struct buf clean = BUF_INIT;

    r->learnt = words;
    redact_text(r, text, len, &clean);
    r->learnt = NULL;
    buf_release(&clean);
}

void redact_read_words(const char *text, size_t len, struct buf *words)
{
    const char *end = text + len;

    for (size_t n; text < end; text += n + 1) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        n = (size_t)((stop ? stop : end) - text);
        if (is_word(text, n))
            redact_add_word(words, text + 2, n - 2);
    }
}

bool redact_named(struct redact *r, const char *name, const char *between)
{
    struct buf pair = BUF_INIT, out = BUF_INIT;
    size_t len = strlen(name), mark = strlen(REDACT_MARK);
    bool named;

    buf_printf(&pair, "%s%sx", name, between);
    named = redact_text(r, pair.data, pair.len, &out) != BUF_OK ||
            (out.len > len + mark && !strncmp(out.data, name, len) &&
             !strcmp(out.data + out.len - mark, REDACT_MARK));
    buf_release(&pair);
    buf_release(&out);
    return named;
}

static bool flag_names_secret(struct redact *r, const char *flag, const char *value)
{
    return !strncmp(flag, "--", 2) && !strchr(flag, '=') && strncmp(value, "--", 2) != 0 &&
           redact_named(r, flag, " ");
}

/* The value of "--name=value", and the length of what stands before it; NULL: it is none. */
static const char *value_of(const char *arg, size_t *front)
{
    const char *equals = strncmp(arg, "--", 2) ? NULL : strchr(arg, '=');

    *front = equals ? (size_t)(equals - arg) + 1 : 0;
    return equals ? equals + 1 : NULL;
}

bool redact_argument(struct redact *r, const char *const *args, size_t at)
{
    const char *before = at ? args[at - 1] : "", *name, *value;
    size_t front, other;

    if (flag_names_secret(r, before, args[at]))
        return true;
    name = value_of(before, &other);
    value = value_of(args[at], &front);
    if (name && value && front == other && !strncmp(before, args[at], front))
        return flag_names_secret(r, name, value);
    /* "--test_arg", "--token", "--test_arg", "x" */
    return at > 2 && *before == '-' && !strcmp(before, args[at - 3]) &&
           flag_names_secret(r, args[at - 2], args[at]);
}

static bool holds(const char *line, size_t len, const char *word, const char *and_word)
{
    const char *found = memmem(line, len, word, strlen(word));

    return found && memmem(found, len - (size_t)(found - line), and_word, strlen(and_word));
}

void redact_skip_line(struct redact_lines *state, const char *line, size_t len)
{
    if (state->inside_key || holds(line, len, KEY_BEGIN, "PRIVATE KEY"))
        state->inside_key = !memmem(line, len, KEY_END, strlen(KEY_END));
}

enum buf_status redact_line(struct redact *r, struct redact_lines *state, const char *line,
                            size_t len, struct buf *out)
{
    bool inside = state->inside_key;

    redact_skip_line(state, line, len);
    return inside ? buf_add_str(out, REDACT_MARK) : redact_text(r, line, len, out);
}
