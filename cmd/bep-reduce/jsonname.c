#include "cmd/bep-reduce/jsonname.h"

#include <ctype.h>
#include <string.h>

#include "proto/build_event_stream.pb-c.h"

void jsonname_of(const ProtobufCFieldDescriptor *field, char *name)
{
    const char *at = field->name;
    size_t n = 0;

    for (; *at && n + 1 < JSONNAME_MAX; at++) {
        if (*at == '_' && at[1])
            name[n++] = (char)toupper((unsigned char)*++at);
        else if (*at != '_')
            name[n++] = *at;
    }
    name[n] = 0;
}

const ProtobufCFieldDescriptor *jsonname_field(const ProtobufCMessageDescriptor *type,
                                               const char *name)
{
    char known[JSONNAME_MAX];

    for (unsigned i = 0; i < type->n_fields; i++) {
        jsonname_of(&type->fields[i], known);
        if (strcmp(known, name) == 0 || strcmp(type->fields[i].name, name) == 0)
            return &type->fields[i];
    }
    return NULL;
}

bool jsonname_is_binary(const ProtobufCMessageDescriptor *type,
                        const ProtobufCFieldDescriptor *field)
{
    if (type == &build_event_stream__file__descriptor)
        return strcmp(field->name, "contents") == 0;
    return type == &build_event_stream__exec_request_constructed__descriptor ||
           type == &build_event_stream__environment_variable__descriptor;
}
