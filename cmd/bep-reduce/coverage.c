#include "cmd/bep-reduce/coverage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/buf.h"
#include "common/base/limits.h"
#include "common/base/mem.h"
#include "common/io/fd.h"
#include "common/text/utf8.h"

#define LINE_MAX_BYTES (64UL * 1024)

void coverage_init(struct coverage *c)
{
    *c = (struct coverage){.memory = ARENA_INIT(COVERAGE_MAX_BYTES)};
    c->tail = &c->files;
}

void coverage_release(struct coverage *c)
{
    for (struct covered_file *f = c->files; f; f = f->next) {
        free(f->lines.items);
        free(f->branches.items);
        free(f->functions.items);
    }
    table_release(&c->index);
    arena_release(&c->memory);
    *c = (struct coverage){0};
}

static struct covered_file *file_named(struct coverage *c, const char *path, size_t len)
{
    uint64_t hash = table_hash(table_seed(), path, len);
    struct covered_file *f = table_find(&c->index, hash);

    if (f)
        return f;
    f = arena_alloc(&c->memory, sizeof(*f));
    if (!f)
        return NULL;
    *f = (struct covered_file){.row.hash = hash, .path = arena_strndup(&c->memory, path, len)};
    if (!f->path || !table_add(&c->index, &f->row))
        return NULL;
    *c->tail = f;
    c->tail = &f->next;
    c->file_count++;
    return f;
}

static bool grow(struct coverage *c, struct covered_list *list)
{
    size_t room = list->room ? list->room * 2 : 64;
    size_t more = (room - list->room) * sizeof(*list->items);
    struct covered *items;

    if (c->list_memory + more > COVERAGE_MAX_BYTES)
        return false;
    items = mem_grow(list->items, room, sizeof(*items));
    if (!items)
        return false;
    c->list_memory += more;
    list->items = items;
    list->room = room;
    return true;
}

static void add(struct coverage *c, struct covered_list *list, uint64_t key, bool hit)
{
    if (list->count == list->room && !grow(c, list)) {
        c->cut = true;
        return;
    }
    list->items[list->count++] = (struct covered){key, hit};
}

static int by_key(const void *a, const void *b)
{
    const struct covered *first = a, *second = b;

    if (first->key != second->key)
        return first->key < second->key ? -1 : 1;
    return second->hit - first->hit;
}

/* Sorts, and joins what was told several times; a hit comes first. */
static void unite(struct covered_list *list)
{
    size_t kept = 0;

    if (list->count > 0)
        qsort(list->items, list->count, sizeof(*list->items), by_key);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && list->items[kept - 1].key == list->items[i].key)
            continue;
        list->items[kept++] = list->items[i];
        list->hit += list->items[i].hit;
    }
    list->count = kept;
}

/* "DA:12,3[,checksum]": a count may be huge or have a fraction; anything above 0 is a hit. */
static void read_line_record(struct coverage *c, struct covered_file *f, const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    const char *count = end + 1;
    double hits;

    if (end == text || *end != ',' || number == 0 || number > UINT32_MAX)
        return;
    hits = strtod(count, &end);
    if (end != count)
        add(c, &f->lines, number, hits > 0);
}

/* "BRDA:line,block,branch,taken"; taken is "-" where the block was never run. */
static void read_branch_record(struct coverage *c, struct covered_file *f, const char *text)
{
    const char *taken = strrchr(text, ',');

    if (taken)
        add(c, &f->branches, table_hash(table_seed(), text, (size_t)(taken - text)),
            strtod(taken + 1, NULL) > 0);
}

/* "FNDA:count,name" */
static void read_function_record(struct coverage *c, struct covered_file *f, const char *text)
{
    const char *name = strchr(text, ',');

    if (name)
        add(c, &f->functions, table_hash(table_seed(), name, strlen(name)), strtod(text, NULL) > 0);
}

static void read_record(struct coverage *c, struct covered_file **f, const char *line, size_t len)
{
    if (len > 3 && memcmp(line, "SF:", 3) == 0)
        *f = file_named(c, line + 3, len - 3);
    else if (len >= 13 && memcmp(line, "end_of_record", 13) == 0)
        *f = NULL;
    else if (!*f)
        return;
    else if (strncmp(line, "DA:", 3) == 0)
        read_line_record(c, *f, line + 3);
    else if (strncmp(line, "BRDA:", 5) == 0)
        read_branch_record(c, *f, line + 5);
    else if (strncmp(line, "FNDA:", 5) == 0)
        read_function_record(c, *f, line + 5);
}

/* Takes whole lines from the front; gives how many bytes those were. */
static size_t read_lines(struct coverage *c, struct covered_file **f, char *text, size_t len)
{
    size_t at = 0;
    char *end;

    while ((end = memchr(text + at, '\n', len - at))) {
        size_t line_len = (size_t)(end - (text + at));

        *end = 0;
        if (line_len > 0 && end[-1] == '\r')
            *--end = 0;
        read_record(c, f, text + at, strlen(text + at));
        at += line_len + 1;
    }
    return at;
}

void coverage_add(struct coverage *c, const char *text, size_t len)
{
    struct covered_file *file = NULL;
    struct buf copy = BUF_INIT;

    if (buf_add(&copy, text, len) == BUF_OK && buf_add_char(&copy, '\n') == BUF_OK)
        read_lines(c, &file, copy.data, copy.len);
    else
        c->cut = true;
    c->reports++;
    buf_release(&copy);
}

static bool read_more(int fd, struct buf *buf)
{
    ssize_t n;

    if (buf_reserve(buf, READ_CHUNK) != BUF_OK)
        return false;
    n = fd_read(fd, buf->data + buf->len, READ_CHUNK);
    if (n <= 0)
        return false;
    buf_added(buf, (size_t)n);
    return true;
}

static void read_fd(struct coverage *c, int fd)
{
    struct covered_file *file = NULL;
    struct buf buf = BUF_INIT;

    while (read_more(fd, &buf)) {
        buf_shift(&buf, read_lines(c, &file, buf.data, buf.len));
        if (buf.len > LINE_MAX_BYTES)
            buf_clear(&buf);
    }
    if (buf_add_char(&buf, '\n') == BUF_OK)
        read_lines(c, &file, buf.data, buf.len);
    buf_release(&buf);
}

const char *coverage_add_file(struct coverage *c, const char *path)
{
    int fd = fd_open(path, O_RDONLY | O_NONBLOCK, 0);
    struct stat info;

    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? "gone" : "unreadable";
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        fd_close(fd);
        return "no regular file";
    }
    read_fd(c, fd);
    fd_close(fd);
    if (c->reports++ == 0)
        c->report = arena_strndup(&c->memory, path, strlen(path));
    return NULL;
}

static int by_path(const void *a, const void *b)
{
    const struct covered_file *const *first = a, *const *second = b;

    return strcmp((*first)->path, (*second)->path);
}

static void sort_files(struct coverage *c)
{
    struct covered_file **files = mem_zeroed(c->file_count + 1, sizeof(*files));
    size_t n = 0;

    if (!files)
        return;
    for (struct covered_file *f = c->files; f; f = f->next)
        files[n++] = f;
    qsort(files, n, sizeof(struct covered_file *), by_path);
    c->tail = &c->files;
    for (size_t i = 0; i < n; i++) {
        *c->tail = files[i];
        c->tail = &files[i]->next;
    }
    *c->tail = NULL;
    free(files);
}

void coverage_finish(struct coverage *c)
{
    sort_files(c);
    for (struct covered_file *f = c->files; f; f = f->next) {
        unite(&f->lines);
        unite(&f->branches);
        unite(&f->functions);
        c->lines_found += f->lines.count;
        c->lines_hit += f->lines.hit;
        c->branches_found += f->branches.count;
        c->branches_hit += f->branches.hit;
        c->functions_found += f->functions.count;
        c->functions_hit += f->functions.hit;
    }
}
