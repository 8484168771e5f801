#include "cmd/mcp-front/policy_parts.h"
#include "common/io/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool policy_inside_roots(const struct config *config, const char *canonical)
{
    for (size_t i = 0; i < config->allowed_roots.count; i++)
        if (file_is_inside(canonical, config->allowed_roots.items[i]))
            return true;
    return !config->allowed_roots.count;
}

static bool has_marker(const char *folder)
{
    static const char *const markers[] = {"MODULE.bazel", "WORKSPACE.bazel", "WORKSPACE", NULL};
    bool found = false;

    for (const char *const *marker = markers; *marker && !found; marker++) {
        struct stat st;
        char *path;
        if (asprintf(&path, "%s/%s", folder, *marker) < 0)
            return false;
        found = !stat(path, &st) && S_ISREG(st.st_mode);
        free(path);
    }
    return found;
}

char *policy_workspace(const struct config *config, const char *path, struct buf *why)
{
    char *canonical;

    if (*path != '/') {
        policy_refuse(why, "workspace must be an absolute path: %s", path);
        return NULL;
    }
    canonical = realpath(path, NULL);
    /* Where roots are set, whether something exists outside is nobody's business. */
    if (!canonical && config->allowed_roots.count)
        policy_refuse(why, "workspace does not exist or is outside every allowed root: %s", path);
    else if (!canonical)
        policy_refuse(why, "workspace %s: %s", path, strerror(errno));
    else if (!policy_inside_roots(config, canonical))
        policy_refuse(why, "workspace does not exist or is outside every allowed root: %s", path);
    else if (!has_marker(canonical))
        policy_refuse(
            why, "not a Bazel workspace, no MODULE.bazel, WORKSPACE.bazel or WORKSPACE: %s", path);
    else
        return canonical;
    free(canonical);
    return NULL;
}
