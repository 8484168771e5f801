#include "cmd/mcp-front/env.h"

#include <stdlib.h>
#include <string.h>

static const char *const standard[] = {
    /* the user and where things are */
    "HOME", "PATH", "TMPDIR", "TEMP", "TMP", "USER", "LOGNAME", "SHELL", "XDG_*",
    /* language and time */
    "LANG", "LANGUAGE", "LC_*", "TZ",
    /* bazelisk, and what Bazel itself reads */
    "USE_BAZEL_VERSION", "BAZELISK_*", "BAZEL_SH", "BAZEL_VC", "JAVA_HOME",
    /* what repository rules look for to find a tool chain */
    "CC", "CXX", "CPLUS_INCLUDE_PATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "GOPATH", "GOROOT",
    "ANDROID_HOME", "ANDROID_NDK_HOME", "DEVELOPER_DIR", "PYTHON_BIN_PATH",
    /* the way out */
    "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY",
    "FTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK", NULL};

static const char *const minimal[] = {"HOME", "PATH", "TMPDIR", "TEMP", "TMP", "USER", NULL};

const char *const *env_preset(enum config_preset preset)
{
    return preset == PRESET_MINIMAL ? minimal : standard;
}

/* Whether the name of "NAME=value" is the pattern's, or begins like it where that ends in '*'. */
static bool name_matches(const char *entry, const char *pattern)
{
    size_t name = strcspn(entry, "="), n = strlen(pattern);

    if (n && pattern[n - 1] == '*')
        return name >= n - 1 && !strncmp(entry, pattern, n - 1);
    return name == n && !strncmp(entry, pattern, n);
}

static bool passes(const struct config *config, const char *entry)
{
    if (!strchr(entry, '='))
        return false;
    for (const char *const *name = env_preset((enum config_preset)config->environment_preset);
         *name; name++)
        if (name_matches(entry, *name))
            return true;
    for (size_t i = 0; i < config->environment_allowlist.count; i++)
        if (name_matches(entry, config->environment_allowlist.items[i]))
            return true;
    return false;
}

char **env_select(const struct config *config, char *const *from)
{
    size_t count = 0;
    char **out;

    while (from[count])
        count++;
    out = calloc(count + 1, sizeof(*out));
    if (!out)
        return NULL;
    count = 0;
    for (; *from; from++)
        if (passes(config, *from))
            out[count++] = *from;
    return out;
}
