#include "cmd/bep-reduce/testxml.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <expat.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/text/utf8.h"

#define TEXT_MAX     (8UL * 1024) /* of one failure's body */
#define DURATION_MAX 1e9          /* seconds: more is no duration */

struct reading {
    XML_Parser parser;
    struct arena *arena;
    struct test_cases *cases;
    struct test_case now; /* the case that is open */
    bool in_case;
    bool not_passed; /* the open case has a failure, an error or was skipped */
    bool in_failure; /* text belongs to the failure */
    struct buf text;
};

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

static const char *keep(struct reading *r, const char *text)
{
    return text && *text ? arena_strndup(r->arena, text, strlen(text)) : NULL;
}

/* "0.013", and "1,234.5" as some locales have it. */
static int64_t duration_ms(const char *seconds)
{
    char digits[32];
    size_t n = 0;
    double value;

    if (!seconds || !*seconds)
        return -1;
    for (; *seconds && n + 1 < sizeof(digits); seconds++)
        if (*seconds != ',')
            digits[n++] = *seconds;
    digits[n] = 0;
    value = strtod(digits, NULL);
    return value >= 0 && value < DURATION_MAX ? (int64_t)(value * 1000) : -1;
}

static void begin_case(struct reading *r, const XML_Char **attributes)
{
    const char *line = attribute(attributes, "line");

    r->in_case = true;
    r->not_passed = false;
    r->now = (struct test_case){
        .name = keep(r, attribute(attributes, "name")),
        .class_name = keep(r, attribute(attributes, "classname")),
        .place = {.path = keep(r, attribute(attributes, "file"))},
        .duration_ms = duration_ms(attribute(attributes, "time")),
    };
    if (r->now.place.path && line)
        r->now.place.line = (uint32_t)strtoul(line, NULL, 10);
}

/* The first failure of a case stands for all; a skip counts only where there is no failure. */
static void begin_failure(struct reading *r, const XML_Char **attributes, enum case_status status)
{
    if (r->not_passed && r->now.status != CASE_SKIPPED)
        return;
    r->not_passed = true;
    r->in_failure = true;
    r->now.status = status;
    r->now.message = keep(r, attribute(attributes, "message"));
    buf_clear(&r->text);
}

static void begin_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct reading *r = context;

    if (strcmp(name, "testcase") == 0)
        begin_case(r, attributes);
    else if (!r->in_case)
        return;
    else if (strcmp(name, "failure") == 0)
        begin_failure(r, attributes, CASE_FAILED);
    else if (strcmp(name, "error") == 0)
        begin_failure(r, attributes, CASE_ERROR);
    else if (strcmp(name, "skipped") == 0)
        begin_failure(r, attributes, CASE_SKIPPED);
}

static void end_failure(struct reading *r)
{
    if (!r->in_failure)
        return;
    r->in_failure = false;
    r->now.text = keep(r, r->text.data);
}

static void end_case(struct reading *r)
{
    struct test_case *kept;

    if (!r->in_case)
        return;
    r->in_case = false;
    end_failure(r);
    if (!r->not_passed) {
        r->cases->passed++;
        return;
    }
    kept = r->cases->count < CASES_MAX ? arena_alloc(r->arena, sizeof(*kept)) : NULL;
    if (!kept) {
        r->cases->more++;
        return;
    }
    *kept = r->now;
    *r->cases->tail = kept;
    r->cases->tail = &kept->next;
    r->cases->count++;
}

static bool is_failure(const char *name)
{
    return strcmp(name, "failure") == 0 || strcmp(name, "error") == 0 ||
           strcmp(name, "skipped") == 0;
}

static void end_element(void *context, const XML_Char *name)
{
    struct reading *r = context;

    if (strcmp(name, "testcase") == 0)
        end_case(r);
    else if (is_failure(name))
        end_failure(r);
}

static void add_text(void *context, const XML_Char *text, int len)
{
    struct reading *r = context;
    size_t room = TEXT_MAX - r->text.len;

    if (r->in_failure)
        buf_add(&r->text, text, (size_t)len < room ? (size_t)len : room);
}

static void refuse_doctype(void *context, const XML_Char *name, const XML_Char *system,
                           const XML_Char *public, int has_subset)
{
    struct reading *r = context;

    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    XML_StopParser(r->parser, XML_FALSE);
}

static void *grow(void *memory, size_t size)
{
    return mem_grow(memory, size, 1);
}

static bool parse(struct reading *r, const char *encoding, const char *xml, size_t len)
{
    static const XML_Memory_Handling_Suite memory = {mem_alloc, grow, free};
    bool good;

    r->parser = XML_ParserCreate_MM(encoding, &memory, NULL);
    if (!r->parser)
        return false;
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin_element, end_element);
    XML_SetCharacterDataHandler(r->parser, add_text);
    XML_SetStartDoctypeDeclHandler(r->parser, refuse_doctype);
    good = XML_Parse(r->parser, xml, (int)len, XML_TRUE) == XML_STATUS_OK;
    XML_ParserFree(r->parser);
    return good;
}

static bool declares_latin1(const char *xml, size_t len)
{
    char head[128];
    size_t n = len < sizeof(head) - 1 ? len : sizeof(head) - 1;

    memcpy(head, xml, n);
    head[n] = 0;
    return strcasestr(head, "encoding=\"iso-8859-1\"") || strcasestr(head, "encoding='iso-8859-1'");
}

bool testxml_read(const char *xml, size_t len, struct arena *arena, struct test_cases *cases)
{
    struct reading r = {.arena = arena, .cases = cases, .text = BUF_INIT_MAX(TEXT_MAX)};
    struct buf clean = BUF_INIT;
    bool good;

    if (!cases->tail)
        cases->tail = &cases->first;
    if (len > INT32_MAX)
        len = INT32_MAX;
    if (declares_latin1(xml, len))
        good = parse(&r, NULL, xml, len);
    else if (utf8_is_clean(xml, len))
        good = parse(&r, "UTF-8", xml, len);
    else
        good = utf8_clean(&clean, xml, len) == BUF_OK && parse(&r, "UTF-8", clean.data, clean.len);
    if (!good)
        end_case(&r);
    buf_release(&clean);
    buf_release(&r.text);
    return good;
}

bool testxml_is_bazels_own(const struct test_case *c)
{
    return c->message && (strncmp(c->message, "exited with error code ", 23) == 0 ||
                          strncmp(c->message, "timed out", 9) == 0);
}
