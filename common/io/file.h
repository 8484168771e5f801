/* Whole small files, private folders, and paths that may not exist yet. -1 and errno on failure. */
#ifndef IO_FILE_H
#define IO_FILE_H

#include "common/base/buf.h"

#include <stddef.h>
#include <stdint.h>

/* Appends a regular file's content to `out`. EFBIG: longer than `max`; EINVAL: not a regular file. */
int file_read(const char *path, size_t max, struct buf *out);

/* Replaces or makes `path` (0600) by writing beside it and renaming: whole or not at all. No sync. */
int file_replace(const char *path, const void *bytes, size_t len);

/* Makes the folder and its missing parents, 0700. One that exists is no error. */
int file_make_folders(const char *path);

/* Removes a folder and what is in it, never following a symbolic link. A missing one is no error. */
int file_remove_tree(const char *path);

/* The bytes of all regular files in a folder; 0 where it is missing. */
int64_t file_tree_bytes(const char *path);

/*
 * The absolute path without ".", ".." and symbolic links as far as it exists; what is missing is
 * appended as it is named. `base` (absolute) is where a relative path begins. malloc'ed, or NULL.
 */
char *file_canonical(const char *base, const char *path);

/* Whether canonical `path` is `folder` or lies in it. */
int file_is_inside(const char *path, const char *folder);

#endif
