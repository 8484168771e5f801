/*
 * From the paths that tools print to paths of the user's source tree.
 */
#ifndef BEP_REDUCE_PATHS_H
#define BEP_REDUCE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"

/* What is known of where the build ran. Strings belong to the caller and outlive every use. */
struct paths {
    const char *workspace; /* absolute, NULL: unknown */
};

/*
 * Puts into `out` what `raw` means as a path of the source tree: without the prefixes of workspace, sandbox, exec
 * root and runfiles; a bare file name, or one relative to the target's package, gets the package of `target` (a
 * label or NULL). Generated files keep bazel-out/…; external repositories external/….
 *
 * Returns false, with an empty `out`, when it cannot be a file of the user's tree: a system header, the standard
 * library of a language, `<stdin>`, a path that leaves the workspace.
 */
bool paths_resolve(const struct paths *, const char *raw, size_t len, const char *target,
                   struct buf *out);

/* The package of a label ("//a/b:c", "@repo//a/b" → "a/b"), not NUL-terminated; `*len` may be 0. */
const char *paths_package(const char *label, size_t *len);

#endif
