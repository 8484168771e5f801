/*
 * From the paths that tools print to paths of the user's source tree.
 */
#ifndef BEP_REDUCE_PATHS_H
#define BEP_REDUCE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/bep-reduce/slice.h"
#include "common/base/buf.h"

/* What is known of where the build ran. Strings belong to the caller and outlive every use. */
struct paths {
    const char *workspace;       /* absolute, without a slash at its end; NULL: unknown */
    const char *main_repository; /* its name in the exec root and runfiles; NULL: unknown */
};

/*
 * Puts into `out` what `raw` means as a path of the source tree: without the prefixes of workspace, sandbox, exec
 * root and runfiles; a bare file name gets the package of `target` (a label or NULL). Generated files keep
 * bazel-out/…, external repositories external/….
 *
 * Returns false, with an empty `out`, when it cannot be a file of the user's tree: a system header, the standard
 * library of a language, `<stdin>`, a path that leaves the workspace.
 */
bool paths_resolve(const struct paths *, const char *raw, size_t len, const char *target,
                   struct buf *out);

/* Whether text looks like the name of a file at all: "a.c", "x/BUILD", not "12" or "error". */
bool paths_plausible(struct slice);

/* The package of a label: "//a/b:c" → "a/b", "@r//a" → "external/r/a"; into `out`, maybe empty. */
void paths_package(const char *label, struct buf *out);

/* Appends `text`, where paths in it are without the prefixes of workspace, exec root and runfiles. */
void paths_relativize(const struct paths *, struct slice text, struct buf *out);

#endif
