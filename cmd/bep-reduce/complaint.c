#include "cmd/bep-reduce/complaint.h"

static bool has_any(struct slice line, const struct slice *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_find(line, words[i]))
            return true;
    return false;
}

bool complaint_is(struct slice line)
{
    static const struct slice complaints[] = {
        SLICE("rror"),    SLICE("ERROR"),   SLICE("ail"),     SLICE("FAIL"),     SLICE("annot"),
        SLICE("an't"),    SLICE("nable"),   SLICE("nvalid"),  SLICE("nknown"),   SLICE("issing"),
        SLICE("ismatch"), SLICE("xpected"), SLICE("denied"),  SLICE("refused"),  SLICE("No such"),
        SLICE("orrupt"),  SLICE("xceeded"), SLICE("egative"), SLICE("xception"), SLICE("not found"),
        SLICE("panic"),   SLICE("atal"),    SLICE(" fault"),  SLICE("bort"),
    };
    static const struct slice remarks[] = {
        SLICE("arning"),   SLICE("WARN"),    SLICE("INFO"),   SLICE("DEBUG"),
        SLICE("no error"), SLICE("0 error"), SLICE("0 fail"), SLICE("without error"),
    };
    return has_any(line, complaints, sizeof complaints / sizeof *complaints) &&
           !has_any(line, remarks, sizeof remarks / sizeof *remarks);
}

/* No branch and no table: compilers make vector instructions of the loop that calls it. */
static inline unsigned char begins_trouble(unsigned char a, unsigned char b, unsigned char c)
{
    unsigned char fai =
        (unsigned char)((a == 'f') & (b == 'a') & ((c == 'i') | (c == 't') | (c == 'u')));
    unsigned char rro = (unsigned char)((a == 'r') & (b == 'r') & (c == 'o'));
    unsigned char pan = (unsigned char)((a == 'p') & (b == 'a') & (c == 'n'));
    unsigned char xce = (unsigned char)((a == 'x') & (b == 'c') & (c == 'e'));
    return fai | rro | pan | xce;
}

bool complaint_may_begin(const char *block)
{
    unsigned char found = 0;
    for (size_t i = 0; i < COMPLAINT_BLOCK; i++)
        found |=
            begins_trouble((unsigned char)(block[i] | 0x20), (unsigned char)(block[i + 1] | 0x20),
                           (unsigned char)(block[i + 2] | 0x20));
    return found;
}
