/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <sys/wait.h>

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "common/walk.h"
#include "tests/unit/check.h"

#define NOBODY 65534

/* What the walk found: "name size\n" and "name! text\n", the path of the tree written as T. */
struct found {
	struct td_strbuf text;
	int stop_after; /* files, then return 5 */
};

static char tree[] = "/tmp/td-test-walk-XXXXXX";

static const char *below_tree(const char *path)
{
	return strncmp(path, tree, strlen(tree)) == 0 ? path + strlen(tree) : path;
}

static int on_file(void *ctx, const char *path, const struct stat *st)
{
	struct found *f = ctx;

	td_strbuf_addf(&f->text, "T%s %d\n", below_tree(path), (int)st->st_size);
	return --f->stop_after == 0 ? 5 : 0;
}

static int on_problem(void *ctx, const char *path, int r, const char *msg)
{
	struct found *f = ctx;
	const char *at = strstr(msg, tree);

	TD_CHECK(at && strncmp(at, path, strlen(path)) == 0);
	td_strbuf_addf(&f->text, "T%s! %s %.*sT%s\n", below_tree(path), strerrorname_np(-r),
		       (int)(at - msg), msg, at + strlen(tree));
	return 0;
}

static const struct td_walk_fn walk_fn = { on_file, on_problem };

static void check_walk(const char *name, const char *want)
{
	_cleanup_(td_strbuf_done) struct td_strbuf path = TD_STRBUF_INIT;
	struct found f = { TD_STRBUF_INIT };
	struct td_err err = { "" };

	TD_CASE(name);
	td_strbuf_addf(&path, "%s%s", tree, name);
	TD_CHECK_INT(td_walk(td_strbuf_str(&path), &walk_fn, &f, &err), 0);
	TD_CHECK_STR(td_strbuf_str(&f.text), want);
	td_strbuf_done(&f.text);
}

static void make_file(const char *name, const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(name, "we");

	TD_CHECK(f && fputs(text, f) >= 0);
}

/* Sorted by bytes: upper case before lower case, 0xc3 behind all of ASCII; but 2 before 10. */
static void test_order(void)
{
	TD_CHECK_INT(mkdir("o", 0755) | mkdir("o/b", 0755) | mkdir("o/.git", 0755), 0);
	make_file("o/a2", "22");
	make_file("o/a10", "1");
	make_file("o/Z", "");
	make_file("o/\xc3\xa4", "4444");
	make_file("o/c.gz", "333");
	make_file("o/b/x", "x");
	make_file("o/.hidden", "h");
	make_file("o/.git/config", "h");
	check_walk("/o", "T/o/Z 0\nT/o/a2 2\nT/o/a10 1\nT/o/b/x 1\nT/o/c.gz 3\nT/o/\xc3\xa4 4\n");
	check_walk("/o/", "T/o/Z 0\nT/o/a2 2\nT/o/a10 1\nT/o/b/x 1\nT/o/c.gz 3\nT/o/\xc3\xa4 4\n");
	check_walk("/o/a2", "T/o/a2 2\n");
	check_walk("/o/.hidden", "T/o/.hidden 1\n");
}

static void test_links(void)
{
	TD_CHECK_INT(mkdir("l", 0755) | mkdir("l/d", 0755) | mkdir("l/d/e", 0755), 0);
	make_file("l/file", "abc");
	make_file("l/d/in", "de");
	TD_CHECK_INT(symlink("file", "l/afile") | symlink("d", "l/z") | symlink("self", "l/self") |
			     symlink("nowhere", "l/gone") | symlink("../..", "l/d/e/up"),
		     0);
	check_walk("/l",
		   "T/l/afile 3\n"
		   "T/l/d/e/up! ELOOP 'T/l/d/e/up' leads back to a directory above it\n"
		   "T/l/d/in 2\n"
		   "T/l/file 3\n"
		   "T/l/gone! ENOENT cannot read 'T/l/gone': No such file or directory\n"
		   "T/l/self! ELOOP cannot read 'T/l/self': Too many levels of symbolic links\n"
		   "T/l/z/e/up! ELOOP 'T/l/z/e/up' leads back to a directory above it\n"
		   "T/l/z/in 2\n");
	/* from here "up" is not above the beginning, what it leads to is */
	check_walk("/l/z", "T/l/z/e/up/afile 3\n"
			   "T/l/z/e/up/d! ELOOP 'T/l/z/e/up/d' leads back to a directory above it\n"
			   "T/l/z/e/up/file 3\n"
			   "T/l/z/e/up/gone! ENOENT cannot read 'T/l/z/e/up/gone': "
			   "No such file or directory\n"
			   "T/l/z/e/up/self! ELOOP cannot read 'T/l/z/e/up/self': "
			   "Too many levels of symbolic links\n"
			   "T/l/z/e/up/z! ELOOP 'T/l/z/e/up/z' leads back to a directory above it\n"
			   "T/l/z/in 2\n");
}

static void test_special(void)
{
	TD_CHECK_INT(mkdir("s", 0755) | mkfifo("s/pipe", 0644) | symlink("/dev/null", "s/null"), 0);
	make_file("s/x", "");
	check_walk("/s", "T/s/null! EINVAL 'T/s/null' is a device, not a regular file\n"
			 "T/s/pipe! EINVAL 'T/s/pipe' is a fifo, not a regular file\n"
			 "T/s/x 0\n");
	check_walk("/s/pipe", "T/s/pipe 0\n");
}

static void test_deep(void)
{
	_cleanup_(td_strbuf_done) struct td_strbuf path = TD_STRBUF_INIT, want = TD_STRBUF_INIT;

	td_strbuf_adds(&path, "deep");
	for (int depth = 0; depth <= TD_WALK_DEPTH_MAX + 1; depth++) {
		TD_CHECK_INT(mkdir(td_strbuf_str(&path), 0755), 0);
		if (depth == TD_WALK_DEPTH_MAX) {
			_cleanup_(td_strbuf_done) struct td_strbuf file = TD_STRBUF_INIT;

			td_strbuf_addf(&file, "%s/f", td_strbuf_str(&path));
			make_file(td_strbuf_str(&file), "ok");
			td_strbuf_addf(&want, "T/%s 2\n", td_strbuf_str(&file));
		}
		td_strbuf_adds(&path, "/g");
	}
	td_strbuf_addf(&want, "T/%.*s! ENAMETOOLONG 'T/%.*s' is more than 64 directories deep\n",
		       (int)path.len - 2, path.p, (int)path.len - 2, path.p);
	check_walk("/deep", td_strbuf_str(&want));
}

static void test_stop(void)
{
	struct found f = { TD_STRBUF_INIT, 2 };
	_cleanup_(td_strbuf_done) struct td_strbuf path = TD_STRBUF_INIT;

	TD_CASE("stop");
	td_strbuf_addf(&path, "%s/o", tree);
	TD_CHECK_INT(td_walk(path.p, &walk_fn, &f, NULL), 5);
	TD_CHECK_STR(td_strbuf_str(&f.text), "T/o/Z 0\nT/o/a2 2\n");
	td_strbuf_done(&f.text);
}

static void test_missing(void)
{
	struct found f = { TD_STRBUF_INIT };
	struct td_err err = { "" };

	TD_CASE("missing");
	TD_CHECK_INT(td_walk("/nonexistent/x", &walk_fn, &f, &err), -ENOENT);
	TD_CHECK_STR(err.msg, "cannot read '/nonexistent/x': No such file or directory");
	TD_CHECK_STR(td_strbuf_str(&f.text), "");
}

/* In a child that is not root, because nothing is unreadable for root. */
static void test_unreadable(void)
{
	int status = -1;
	pid_t pid;

	TD_CHECK_INT(mkdir("u", 0755) | mkdir("u/no", 0) | chmod(tree, 0755), 0);
	make_file("u/yes", "y");
	pid = fork();
	if (pid == 0) {
		struct found f = { TD_STRBUF_INIT };
		struct td_err err = { "" };

		if (geteuid() == 0 && seteuid(NOBODY) < 0)
			_exit(TD_TEST_SKIP);
		td_check_failures = 0;
		check_walk("/u",
			   "T/u/no! EACCES cannot read directory 'T/u/no': Permission denied\n"
			   "T/u/yes 1\n");
		TD_CHECK_INT(td_walk("u/no", &walk_fn, &f, &err), -EACCES);
		TD_CHECK_STR(err.msg, "cannot read directory 'u/no': Permission denied");
		_exit(td_check_failures != 0);
	}
	TD_CASE("unreadable");
	TD_CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	if (WEXITSTATUS(status) == TD_TEST_SKIP)
		printf("cannot become another user: unreadable directories are not tested\n");
	else
		TD_CHECK_INT(WEXITSTATUS(status), 0);
}

int main(void)
{
	char *rm[] = { (char *)"rm", (char *)"-rf", tree, NULL };

	if (!mkdtemp(tree) || chdir(tree) < 0)
		return 1;
	test_order();
	test_links();
	test_special();
	test_deep();
	test_stop();
	test_missing();
	test_unreadable();
	if (fork() == 0) {
		execvp(rm[0], rm);
		_exit(1);
	}
	(void)wait(NULL);
	return td_check_result();
}
