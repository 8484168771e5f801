/*
 * Every bound of the project that more than one file needs, with its reason.
 * A bound that only one program has stands in that program.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/* Longest frame by default (--max-frame). protobuf itself stops at 2 GiB; a real event of 97 MB is known. */
#define FRAME_MAX_DEFAULT (1024ULL * 1024 * 1024)

/* A base-128 varint of 64 bits never needs more. */
#define VARINT_MAX_BYTES 10

/* One read(2) of a stream: large enough that system calls cost nothing, small enough to stay in cache. */
#define READ_CHUNK (64UL * 1024)

/* What bes-recv hands over in one writev, and acknowledges together (design.md, Acceptance). */
#define BATCH_MAX_EVENTS 64
#define BATCH_MAX_BYTES  (1024UL * 1024)

/* How long a source goes on without new data after the Bazel client has gone, in milliseconds. */
#define GRACE_DEFAULT_MS 2000

/* A single diagnostic line on stderr, so that it is one write(2) and lines of a pipeline never mix. */
#define WORD_LINE_MAX 2048

#endif
