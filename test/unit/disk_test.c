#include "test/unit/unit.h"
#include "common/io/disk.h"
#include "common/io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/disk-test.XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    memcpy(strrchr(folder, '.'), ".XXXXXX", 7);
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/f", folder);
    return 0;
}

/* Fails where a test has left anything but `path`. */
static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static void assert_content(const char *wanted)
{
    char bytes[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_int_equal(fd_read_full(fd, bytes, sizeof(bytes)), strlen(wanted));
    assert_string_equal(bytes, wanted);
    fd_close(fd);
}

static void creates_once_and_private(void **state)
{
    struct stat st;
    int fd = disk_create(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    assert_true(disk_is_regular(fd));
    assert_int_equal(disk_create(path), -1);
    assert_int_equal(errno, EEXIST);
    fd_close(fd);
}

static void never_waits_for_a_fifo(void **state)
{
    int fd;

    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    fd = disk_open_or_create(path);
    assert_true(fd >= 0);
    assert_false(disk_is_regular(fd));
    fd_close(fd);
}

static void lock_is_for_one(void **state)
{
    int first = disk_open_or_create(path);
    int second = disk_open_or_create(path);
    int null = fd_open_null(O_RDONLY);

    (void)state;
    assert_true(disk_is_same(first, second));
    assert_false(disk_is_same(first, null));
    assert_int_equal(disk_lock(first), 0);
    assert_int_equal(disk_lock(second), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    fd_close(first);
    assert_int_equal(disk_lock(second), 0);
    fd_close(second);
    fd_close(null);
}

static void writes_where_it_is_told_and_cuts(void **state)
{
    int fd = disk_create(path);

    (void)state;
    assert_int_equal(disk_write(fd, "world", 5, 6), 0);
    assert_int_equal(disk_write(fd, "hello ", 6, 0), 0);
    assert_int_equal(disk_write(fd, "", 0, 100), 0);
    assert_content("hello world");
    assert_int_equal(disk_cut(fd, 5), 0);
    assert_content("hello");
    assert_int_equal(disk_sync(fd), 0);
    assert_int_equal(disk_sync_folder(path), 0);
    fd_close(fd);
}

static void full_device_is_an_error(void **state)
{
    int fd = open("/dev/full", O_RDWR | O_CLOEXEC);

    (void)state;
    assert_int_equal(disk_write(fd, "x", 1, 0), -1);
    assert_int_equal(errno, ENOSPC);
    fd_close(fd);
}

static void folder_sync_takes_any_kind_of_path(void **state)
{
    (void)state;
    assert_int_equal(disk_sync_folder("name"), 0);
    assert_int_equal(disk_sync_folder("/name"), 0);
    assert_int_equal(disk_sync_folder("missing/name"), -1);
    assert_int_equal(errno, ENOENT);
}

static void replacement_is_whole_or_nothing(void **state)
{
    struct disk_replacement r;

    (void)state;
    assert_int_equal(disk_replace_begin(&r, path), 0);
    assert_int_equal(fd_write_full(r.fd, "old", 3), 0);
    assert_int_equal(disk_replace_commit(&r), 0);
    assert_content("old");

    assert_int_equal(disk_replace_begin(&r, path), 0);
    assert_int_equal(fd_write_full(r.fd, "half", 4), 0);
    assert_content("old");
    disk_replace_abandon(&r);
    assert_content("old");

    assert_int_equal(disk_replace_begin(&r, path), 0);
    assert_int_equal(fd_write_full(r.fd, "new", 3), 0);
    assert_int_equal(disk_replace_commit(&r), 0);
    assert_content("new");
}

static void replacement_that_cannot_be_leaves_nothing(void **state)
{
    struct disk_replacement r;

    (void)state;
    assert_int_equal(mkdir(path, 0700), 0); /* no file takes the place of a folder */
    assert_int_equal(disk_replace_begin(&r, path), 0);
    assert_int_equal(disk_replace_commit(&r), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(disk_replace_begin(&r, "/missing/folder/f"), -1);
    assert_int_equal(errno, ENOENT);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(creates_once_and_private),
        TEST(never_waits_for_a_fifo),
        TEST(lock_is_for_one),
        TEST(writes_where_it_is_told_and_cuts),
        TEST(full_device_is_an_error),
        TEST(folder_sync_takes_any_kind_of_path),
        TEST(replacement_is_whole_or_nothing),
        TEST(replacement_that_cannot_be_leaves_nothing),
    };
    return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
