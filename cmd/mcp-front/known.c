#include "cmd/mcp-front/known.h"
#include "common/io/file.h"
#include "common/text/utf8.h"

#include <string.h>

/* The value of "--name=value", or the argument itself. */
static const char *value_of(const char *arg)
{
    const char *equals = strncmp(arg, "--", 2) ? NULL : strchr(arg, '=');

    return equals ? equals + 1 : arg;
}

void known_args(struct redact *redact, const char *const *args, struct buf *words)
{
    for (size_t i = 0; args && args[i]; i++) {
        const char *value = value_of(args[i]);
        if (redact_argument(redact, args, i))
            redact_add_word(words, value, strlen(value));
        else
            redact_learn(redact, args[i], strlen(args[i]), words);
    }
}

static bool is_named(struct redact *redact, const char *entry, size_t name_len)
{
    char name[256];

    if (name_len >= sizeof(name))
        return false;
    memcpy(name, entry, name_len);
    name[name_len] = '\0';
    return redact_named(redact, name, "=");
}

void known_env(struct redact *redact, const char *const *env, struct buf *words)
{
    for (; *env; env++) {
        size_t name = strcspn(*env, "=");
        if ((*env)[name] && is_named(redact, *env, name))
            redact_add_word(words, *env + name + 1, strlen(*env + name + 1));
        else
            redact_learn(redact, *env, strlen(*env), words);
    }
}

/* What a pattern could not quote, or not as one line of text, is left to the patterns. */
static bool can_be_quoted(const char *word)
{
    return !strstr(word, "\\E") && !strpbrk(word, "\r\n") && utf8_is_clean(word, strlen(word));
}

int known_write(const struct config *config, const struct buf *words, const char *path)
{
    const struct config_list *patterns = &config->redaction_patterns;
    struct buf text = BUF_INIT;
    int result;

    for (size_t i = 0; i < patterns->count; i++) /* a line that begins with '#' would be skipped */
        buf_printf(&text, "%s%s\n", *patterns->items[i] == '#' ? "\\" : "", patterns->items[i]);
    for (size_t at = 0; at < words->len; at += strlen(words->data + at) + 1)
        if (can_be_quoted(words->data + at))
            buf_printf(&text, "\\Q%s\n", words->data + at);
    result = file_replace(path, text.data, text.len);
    buf_release(&text);
    return result;
}
