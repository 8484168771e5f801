/* Names of fields in protobuf's JSON mapping (lowerCamelCase), for reading and writing events as JSON. */
#ifndef BEP_REDUCE_JSONNAME_H
#define BEP_REDUCE_JSONNAME_H

#include <stdbool.h>
#include <stddef.h>

#include <protobuf-c/protobuf-c.h>

#define JSONNAME_MAX 64

/* "last_message" → "lastMessage", "stdout_" → "stdout". `name` has room for JSONNAME_MAX bytes. */
void jsonname_of(const ProtobufCFieldDescriptor *, char *name);

/* The field with that JSON name, or with that name itself, or NULL. */
const ProtobufCFieldDescriptor *jsonname_field(const ProtobufCMessageDescriptor *,
                                               const char *name);

/* Whether Bazel's field is of type bytes, which JSON has in base64; all others of ours are its strings. */
bool jsonname_is_binary(const ProtobufCMessageDescriptor *, const ProtobufCFieldDescriptor *);

#endif
