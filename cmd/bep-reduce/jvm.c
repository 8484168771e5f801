#include "cmd/bep-reduce/jvm.h"

/* Of a package's name, what tells whose code it is: "com.acme". */
#define OWNER_PARTS 2

/* "app//com.acme.Cart$Line.total" → "com.acme": loader, class and method go. */
static struct slice package_of(struct slice name)
{
    const char *slash = memrchr(name.text, '/', name.len);
    if (slash)
        name = slice_from(name, (size_t)(slash - name.text) + 1);
    for (int parts = 0; parts < 2; parts++) {
        const char *dot = name.len ? memrchr(name.text, '.', name.len) : NULL;
        name.len = dot ? (size_t)(dot - name.text) : 0;
    }
    return name;
}

/* The first parts of a package's name, `count` of them or fewer. */
static struct slice first_parts(struct slice package, int count)
{
    size_t end = 0;
    for (; end < package.len; end++)
        if (package.text[end] == '.' && --count == 0)
            break;
    return (struct slice){package.text, end};
}

static void add_folder(struct buf *out, struct slice package)
{
    for (size_t i = 0; i < package.len; i++)
        buf_add_char(out, package.text[i] == '.' ? '/' : package.text[i]);
}

/* Where whole components of `folder` are those of `part`; NULL: nowhere. */
static const char *find_components(struct slice folder, struct slice part)
{
    for (struct slice rest = folder; part.len && rest.len >= part.len;) {
        const char *at = slice_find(rest, part);
        if (!at)
            return NULL;
        const char *end = at + part.len;
        bool begins = at == folder.text || at[-1] == '/';
        if (begins && (end == folder.text + folder.len || *end == '/'))
            return at;
        rest = slice_from(rest, (size_t)(at - rest.text) + 1);
    }
    return NULL;
}

/* A domain's first name is everybody's: that it stands in two packages says nothing. */
static bool is_common(struct slice part)
{
    static const struct slice domains[] = {SLICE("com"), SLICE("org"), SLICE("net"), SLICE("io"),
                                           SLICE("dev"), SLICE("edu"), SLICE("gov"), SLICE("de")};
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        if (slice_equals(part, domains[i]))
            return true;
    return false;
}

/*
 * The folder of a class's package, below the folder under which the target's package repeats the beginning of its name.
 * False: the target's package has nothing in common with it.
 */
static bool find_folder(struct slice package, struct slice target_folder, struct buf *out)
{
    struct slice owner = first_parts(package, is_common(first_parts(package, 1)) ? OWNER_PARTS : 1);
    struct buf wanted = BUF_INIT;
    add_folder(&wanted, owner);
    const char *at = find_components(target_folder, (struct slice){wanted.data, wanted.len});
    if (at) {
        buf_add(out, target_folder.text, (size_t)(at - target_folder.text));
        add_folder(out, package);
    }
    buf_release(&wanted);
    return at != NULL;
}

static uint64_t hash_of(struct slice s)
{
    uint64_t h = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < s.len; i++)
        h = (h ^ (unsigned char)s.text[i]) * 0x100000001b3ULL;
    return h;
}

static void offer_guess(struct cause *c, const struct evidence *e, const struct captures *captures,
                        struct slice package)
{
    uint64_t owner = hash_of(first_parts(package, OWNER_PARTS));
    bool same = c->frame.quality == SPOT_GUESS && c->guessed == owner;
    if (same || c->frame.quality > SPOT_GUESS)
        return;
    spot_clear(&c->frame);
    spot_offer(&c->frame, e, captures->path, captures->line, 0, false);
    if (c->frame.quality == SPOT_SOURCE)
        c->frame.quality = SPOT_GUESS;
    c->guessed = owner;
}

void jvm_offer_frame(struct cause *c, const struct evidence *e, const struct captures *captures)
{
    struct slice package = package_of(captures->name);
    struct buf folder = BUF_INIT;
    struct buf path = BUF_INIT;
    paths_package(e->target, &folder);
    bool fits = find_folder(package, (struct slice){folder.data, folder.len}, &path);
    if (fits) {
        buf_printf(&path, "/%.*s", (int)captures->path.len, captures->path.text);
        spot_offer(&c->frame, e, (struct slice){path.data, path.len}, captures->line, 0, false);
    } else if (!package.len) {
        spot_offer(&c->frame, e, captures->path, captures->line, 0, false);
    } else {
        offer_guess(c, e, captures, package);
    }
    buf_release(&folder);
    buf_release(&path);
}
