/*
 * What is kept of a file that is too long to be read: its head, its tail, and between them the surroundings of the first lines that
 * complain. A line in each gap says how much was left out.
 *
 * Time is that of reading the file once, and bounded by the lines that have to be looked at closely.
 */
#ifndef BEP_REDUCE_EXCERPT_H
#define BEP_REDUCE_EXCERPT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/buf.h"

/*
 * Appends at most `max` bytes, the lines for the gaps included, of a file that has `size` bytes, which are more. Where there is hardly
 * room for a gap, it is the file's head alone. False: it cannot be read, or no memory.
 */
bool excerpt_read(int fd, off_t size, size_t max, struct buf *out);

#endif
