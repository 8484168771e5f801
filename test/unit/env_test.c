// with: cmd/mcp-front/env.c
#include "cmd/mcp-front/env.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char home[] = "HOME=/h\xff\xfe", lang[] = "LC_ALL=C", secret[] = "AWS_SECRET_ACCESS_KEY=x",
            odd[] = "no equals sign", mode[] = "BAZEL_MCP_MODE=agent", own[] = "MY_VAR=1",
            other[] = "MY_VARIABLE=2", empty[] = "=x", path[] = "PATH=", homer[] = "HOMER=no";
static char *all[] = {home, lang, secret, odd, mode, own, other, empty, path, homer, NULL};

static void selected(const struct config *config, char *const *expected)
{
    char **env = env_select(config, all);

    assert_non_null(env);
    for (size_t i = 0;; i++) {
        assert_ptr_equal(env[i], expected[i]);
        if (!env[i])
            break;
    }
    free(env);
}

static void the_standard_preset(void **state)
{
    struct config config = {.environment_preset = PRESET_STANDARD};

    (void)state;
    selected(&config, (char *[]){home, lang, path, NULL});
}

static void the_minimal_preset(void **state)
{
    struct config config = {.environment_preset = PRESET_MINIMAL};

    (void)state;
    selected(&config, (char *[]){home, path, NULL});
}

static void the_allowlist_adds(void **state)
{
    char exact[] = "MY_VAR", front[] = "MY_*";
    char *names[] = {exact, NULL};
    struct config config = {.environment_preset = PRESET_MINIMAL,
                            .environment_allowlist = {names, 1}};

    (void)state;
    selected(&config, (char *[]){home, own, path, NULL});
    names[0] = front;
    selected(&config, (char *[]){home, own, other, path, NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_standard_preset),
        cmocka_unit_test(the_minimal_preset),
        cmocka_unit_test(the_allowlist_adds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
