/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/tmpfile.h"
#include "tests/unit/check.h"

static char dir[] = "/tmp/tracedb-test-tmpfile-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[96];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void make(const char *name)
{
	_cleanup_close_ int fd = open(in_dir(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	TD_CHECK(fd >= 0);
}

static bool exists(const char *name)
{
	return access(in_dir(name), F_OK) == 0;
}

static int count_files(void)
{
	DIR *d = opendir(dir);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n - 2; /* . and .. */
}

static void check_usable(int fd)
{
	char buf[4] = "";

	TD_CHECK_INT(pwrite(fd, "abc", 3, 0), 3);
	TD_CHECK_INT(pread(fd, buf, 3, 0), 3);
	TD_CHECK_STR(buf, "abc");
}

static void test_no_name(void)
{
	_cleanup_close_ int a = -1, b = -1;

	TD_CASE("no name");
	a = td_tmpfile_open(in_dir("x"));
	b = td_tmpfile_open(in_dir("x"));
	TD_CHECK(a >= 0 && b >= 0);
	TD_CHECK_INT(count_files(), 0);
	check_usable(a);
	TD_CHECK_INT(td_tmpfile_open(in_dir("missing/x")), -ENOENT);
	TD_CHECK_INT(td_tmpfile_open_nameable(in_dir("missing/x")), -ENOENT);
}

static void test_name(void)
{
	_cleanup_close_ int fd = td_tmpfile_open_nameable(in_dir("x"));

	TD_CASE("a name later");
	TD_CHECK(fd >= 0);
	check_usable(fd);
	make("taken");
	if (!exists("x"))
		TD_CHECK_INT(td_tmpfile_give_name(fd, in_dir("taken")), -EEXIST);
	TD_CHECK_INT(td_tmpfile_give_name(fd, in_dir("x")), 0);
	TD_CHECK(exists("x"));
	TD_CHECK_INT(td_tmpfile_give_name(fd, in_dir("x")), 0); /* it has it already */
	TD_CHECK_INT(unlink(in_dir("x")), 0);
	TD_CHECK_INT(unlink(in_dir("taken")), 0);
	TD_CHECK_INT(count_files(), 0);
}

static void test_leftovers(void)
{
	struct td_err err = { 0 };

	TD_CASE("leftovers");
	TD_CHECK_INT(td_tmpfile_remove_leftovers(in_dir("x.tmp"), &err), 0);
	make("x.tmp");
	make("x.tmp-");
	make("x.tmp-spill-call");
	make("x.tm");
	make("x.tmp2");
	make("ax.tmp");
	make("x.tmp.gz");
	TD_CHECK_INT(td_tmpfile_remove_leftovers(in_dir("x.tmp"), &err), 0);
	TD_CHECK_INT(count_files(), 4);
	TD_CHECK(exists("x.tm") && exists("x.tmp2") && exists("ax.tmp") && exists("x.tmp.gz"));
	TD_CHECK_INT(mkdir(in_dir("x.tmp-folder"), 0700), 0);
	TD_CHECK_INT(td_tmpfile_remove_leftovers(in_dir("x.tmp"), &err), -EISDIR);
	TD_CHECK(strstr(err.msg, "x.tmp-folder"));
	TD_CHECK_INT(rmdir(in_dir("x.tmp-folder")), 0);
	TD_CHECK_INT(unlink(in_dir("x.tm")), 0);
	TD_CHECK_INT(unlink(in_dir("x.tmp2")), 0);
	TD_CHECK_INT(unlink(in_dir("ax.tmp")), 0);
	TD_CHECK_INT(unlink(in_dir("x.tmp.gz")), 0);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_no_name();
	test_name();
	test_leftovers();
	TD_CHECK_INT(rmdir(dir), 0);
	return td_check_result();
}
