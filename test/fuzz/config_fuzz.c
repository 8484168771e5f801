/* A configuration file of any bytes: read, or refused with words; what is in force obeys its bounds. */
// with: cmd/mcp-front/config.c cmd/mcp-front/config_table.c cmd/mcp-front/config_duplicate.c
// with: cmd/mcp-front/config_print.c
// link: json-c
// link: pcre2
#include "cmd/mcp-front/config_table.h"
#include "common/io/file.h"

#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_bounds(const struct config *config)
{
    for (size_t i = 0; i < config_key_count; i++) {
        const struct config_key *key = &config_keys[i];
        const void *at = (const char *)config + key->offset;
        if (key->type == CONFIG_NUMBER &&
            (*(const uint64_t *)at < key->min || *(const uint64_t *)at > key->max))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[] = "/tmp/config_fuzz.XXXXXX";
    static FILE *nowhere;
    struct config_options options = {.file = path, .cache_root = "/tmp/config_fuzz"};
    struct buf errors = BUF_INIT;
    struct config config;
    bool good;

    if (!nowhere) {
        nowhere = fopen("/dev/null", "w");
        if (!nowhere || !mkdtemp(path))
            abort();
        rmdir(path);
    }
    if (file_replace(path, data, size))
        abort();
    good = config_load(&config, &options, &errors);
    if (good != !errors.len)
        abort();
    if (good) {
        check_bounds(&config);
        config_print(&config, nowhere);
    }
    config_release(&config);
    buf_release(&errors);
    unlink(path);
    return 0;
}
