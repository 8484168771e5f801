/* JUnit's XML as CI servers read it: a suite for each test target, its cases where test.xml told them. */
#include "cmd/bep-reduce/emit.h"

#include <inttypes.h>
#include <string.h>

/* Texts are clean UTF-8; what XML 1.0 cannot hold beyond that are U+FFFE and U+FFFF. */
static void escaped(struct buf *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            buf_add_str(out, "&amp;");
            break;
        case '<':
            buf_add_str(out, "&lt;");
            break;
        case '>':
            buf_add_str(out, "&gt;");
            break;
        case '"':
            buf_add_str(out, "&quot;");
            break;
        case '\n':
            buf_add_str(out, "&#10;");
            break;
        default:
            if (memcmp(text, "\xef\xbf\xbe", strnlen(text, 3)) == 0 ||
                memcmp(text, "\xef\xbf\xbf", strnlen(text, 3)) == 0) {
                buf_add_str(out, "?");
                text += 2;
            } else {
                buf_add_char(out, *text);
            }
        }
    }
}

static void attribute(struct buf *out, const char *name, const char *value)
{
    if (!value)
        return;
    buf_printf(out, " %s=\"", name);
    escaped(out, value);
    buf_add_char(out, '"');
}

static void seconds(struct buf *out, int64_t ms)
{
    if (ms >= 0)
        buf_printf(out, " time=\"%" PRId64 ".%03d\"", ms / 1000, (int)(ms % 1000));
}

/* The cause that was found for a test, where its cases say nothing. */
static const struct diag *cause_of(const struct summary *s, const char *label)
{
    for (size_t i = 0; i < s->causes.count; i++) {
        const struct diag *d = s->causes.items[i];

        if (d->target && d->severity == DIAG_ERROR && strcmp(d->target, label) == 0)
            return d;
    }
    return NULL;
}

static void failure(struct buf *out, const char *element, const char *message, const char *text)
{
    buf_printf(out, "      <%s", element);
    attribute(out, "message", message);
    buf_add_char(out, '>');
    if (text)
        escaped(out, text);
    buf_printf(out, "</%s>\n", element);
}

static void test_case(struct buf *out, const struct test_row *row, const struct test_case *c)
{
    static const char *const elements[] = {
        [CASE_FAILED] = "failure", [CASE_ERROR] = "error", [CASE_SKIPPED] = "skipped"};

    buf_add_str(out, "    <testcase");
    attribute(out, "name", c->name ? c->name : row->test->label);
    attribute(out, "classname", c->class_name ? c->class_name : row->test->label);
    seconds(out, c->duration_ms);
    buf_add_str(out, ">\n");
    if (c->status == CASE_SKIPPED) /* Jenkins' schema gives it no attributes */
        failure(out, elements[c->status], NULL, c->message);
    else
        failure(out, elements[c->status], c->message, c->text);
    buf_add_str(out, "    </testcase>\n");
}

static bool is_bad(enum test_status status)
{
    return status != TEST_PASSED && status != TEST_FLAKY && status != TEST_NO_STATUS;
}

/* The target itself as the one case. */
static void whole_test(struct buf *out, const struct summary *s, const struct test_row *row)
{
    const struct diag *cause = is_bad(row->status) ? cause_of(s, row->test->label) : NULL;

    buf_add_str(out, "    <testcase");
    attribute(out, "name", row->test->label);
    attribute(out, "classname", row->test->label);
    seconds(out, row->test->duration_ms);
    buf_add_str(out, ">\n");
    if (is_bad(row->status))
        failure(out, "failure", cause ? cause->message : test_status_name(row->status),
                cause ? cause->detail : NULL);
    else if (row->status == TEST_NO_STATUS)
        buf_add_str(out, "      <skipped/>\n");
    buf_add_str(out, "    </testcase>\n");
}

struct sums {
    size_t tests, failures, errors, skipped;
};

static struct sums sums_of(const struct test_row *row)
{
    struct sums sums = {.tests = row->cases.count};

    for (const struct test_case *c = row->cases.first; c; c = c->next) {
        sums.failures += c->status == CASE_FAILED;
        sums.errors += c->status == CASE_ERROR;
        sums.skipped += c->status == CASE_SKIPPED;
    }
    if (sums.failures + sums.errors > 0 || (sums.tests > 0 && !is_bad(row->status)))
        return sums;
    sums.tests++;
    sums.failures += is_bad(row->status);
    sums.skipped += row->status == TEST_NO_STATUS;
    return sums;
}

static void suite(struct buf *out, const struct summary *s, const struct test_row *row)
{
    struct sums sums = sums_of(row);

    buf_add_str(out, "  <testsuite");
    attribute(out, "name", row->test->label);
    buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", sums.tests,
               sums.failures, sums.errors, sums.skipped);
    seconds(out, row->test->duration_ms);
    buf_add_str(out, ">\n");
    for (const struct test_case *c = row->cases.first; c; c = c->next)
        test_case(out, row, c);
    if (sums.tests > row->cases.count)
        whole_test(out, s, row);
    buf_add_str(out, "  </testsuite>\n");
}

bool emit_junit(const struct summary *s, struct buf *out)
{
    buf_add_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0; i < s->test_row_count; i++)
        suite(out, s, &s->test_rows[i]);
    return buf_add_str(out, "</testsuites>\n") == BUF_OK;
}
