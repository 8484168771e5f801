#include "cmd/mcp-front/uuid.h"
#include "common/base/clock.h"
#include "common/base/err.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define DIGITS 32

static bool is_after_hyphen(int digit)
{
    return digit == 8 || digit == 12 || digit == 16 || digit == 20;
}

void uuid_make(char text[UUID_SIZE])
{
    uint64_t now = (uint64_t)clock_wall_ms();
    uint8_t bytes[16];
    char *out = text;

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        err_die_errno(EX_OSERR, "getrandom");
    for (int i = 0; i < 6; i++)
        bytes[i] = (uint8_t)(now >> (8 * (5 - i)));
    bytes[6] = (uint8_t)(0x70 | (bytes[6] & 0x0f));
    bytes[8] = (uint8_t)(0x80 | (bytes[8] & 0x3f));
    for (int i = 0; i < 16; i++) {
        if (is_after_hyphen(2 * i))
            *out++ = '-';
        out += snprintf(out, 3, "%02x", bytes[i]);
    }
}

bool uuid_parse(const char *text, char uuid[UUID_SIZE])
{
    size_t braces = *text == '{';
    int digits = 0;
    char *out = uuid;

    if (!strncasecmp(text, "urn:uuid:", 9))
        text += 9;
    for (text += braces; *text && *text != '}'; text++) {
        if (*text == '-' && is_after_hyphen(digits))
            continue;
        if (!isxdigit((unsigned char)*text) || digits == DIGITS)
            return false;
        if (is_after_hyphen(digits))
            *out++ = '-';
        *out++ = (char)tolower((unsigned char)*text);
        digits++;
    }
    *out = '\0';
    return digits == DIGITS && (braces ? text[0] == '}' && !text[1] : !*text);
}
