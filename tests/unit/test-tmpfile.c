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
	static const char *const others[] = {
		"x.tmp",
		"x.tmp-spill",
		"x.lock",
		".x.tracedb-abc.tmp", /* not as many characters */
		".x.tracedb-abcdefg.tmp",
		".x.tracedb-abcdef.tmp2",
		".x.tracedb-ABCDEF.tmp",
		".xx.tracedb-abcdef.tmp",
		".x.tracedb.lock",
	};
	_cleanup_free_ char *a = td_tmpfile_name(in_dir("x")), *b = td_tmpfile_name(in_dir("x"));

	TD_CASE("leftovers");
	TD_CHECK(a && b && strcmp(a, b) != 0);
	td_tmpfile_remove_leftovers(in_dir("x"));
	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++)
		make(others[i]);
	make(strrchr(a, '/') + 1);
	make(".x.tracedb-abcdef.tmp-spill-call");
	TD_CHECK_INT(mkdir(in_dir(".x.tracedb-abcdef.tmp"), 0700), 0);
	TD_CHECK(exists(strrchr(a, '/') + 1));
	td_tmpfile_remove_leftovers(in_dir("x"));
	TD_CHECK(!exists(strrchr(a, '/') + 1) && !exists(".x.tracedb-abcdef.tmp-spill-call"));
	TD_CHECK_INT(count_files(), (int)TD_ARRAY_SIZE(others) + 1);
	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++)
		TD_CHECK_INT(unlink(in_dir(others[i])), 0);
	TD_CHECK_INT(rmdir(in_dir(".x.tracedb-abcdef.tmp")), 0);
}

static void test_names(void)
{
	char path[512], name[256];
	_cleanup_free_ char *plain = td_tmpfile_lock_name("a/b"),
			    *alone = td_tmpfile_lock_name("b");
	_cleanup_free_ char *cut = NULL;

	TD_CASE("names");
	TD_CHECK_STR(plain, "a/.b.tracedb.lock");
	TD_CHECK_STR(alone, ".b.tracedb.lock");
	(void)memset(name, 'n', 255);
	name[255] = '\0';
	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	cut = td_tmpfile_name(path);
	TD_CHECK(cut && strlen(strrchr(cut, '/') + 1) < 220);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_no_name();
	test_name();
	test_leftovers();
	test_names();
	TD_CHECK_INT(rmdir(dir), 0);
	return td_check_result();
}
