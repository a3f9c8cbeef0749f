/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/lock.h"
#include "tests/unit/check.h"

static char dir[] = "/tmp/tracedb-test-lock-XXXXXX";
static char path[64];

static bool exists(void)
{
	return access(path, F_OK) == 0;
}

static void test_take_and_release(void)
{
	struct td_lock *lock = NULL, *second = NULL;
	struct td_err err = { 0 };

	TD_CASE("take and release");
	TD_CHECK_INT(td_lock_take(path, &lock, &err), 0);
	TD_CHECK(exists());
	/* flock() belongs to the open file, so a second taker in the same process counts as another */
	TD_CHECK_INT(td_lock_take(path, &second, &err), -EBUSY);
	TD_CHECK(strstr(err.msg, path));
	TD_CHECK(!second);
	TD_CHECK(exists());
	td_lock_release(lock);
	TD_CHECK(!exists());
	td_lock_release(NULL);
}

static void test_unwritable_folder(void)
{
	struct td_lock *lock = NULL;
	struct td_err err = { 0 };

	TD_CASE("no such folder");
	TD_CHECK_INT(td_lock_take("/nonexistent/folder/lock", &lock, &err), -ENOENT);
	TD_CHECK(strstr(err.msg, "/nonexistent/folder/lock"));
	TD_CHECK(!lock);
}

/* A link to nowhere is not followed, and a file of somebody's is neither locked nor removed. */
static void test_in_the_way(void)
{
	_cleanup_fclose_ FILE *f = NULL;
	struct td_lock *lock = NULL;
	struct td_err err = { 0 };

	TD_CASE("in the way");
	TD_CHECK_INT(symlink("elsewhere", path), 0);
	TD_CHECK_INT(td_lock_take(path, &lock, &err), -ELOOP);
	TD_CHECK_INT(unlink(path), 0);
	f = fopen(path, "we");
	TD_CHECK(f && fputs("mine", f) >= 0 && fflush(f) == 0);
	TD_CHECK_INT(td_lock_take(path, &lock, &err), -EEXIST);
	TD_CHECK(strstr(err.msg, path));
	TD_CHECK(exists());
	TD_CHECK_INT(unlink(path), 0);
}

/* The lock of a process that was killed is free, although its file is still there. */
static void test_killed_holder(void)
{
	struct td_lock *lock = NULL;
	struct td_err err = { 0 };
	int ready[2];
	char c = 0;
	pid_t pid;

	TD_CASE("killed holder");
	TD_CHECK_INT(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		c = td_lock_take(path, &lock, &err) == 0;
		_exit(write(ready[1], &c, 1) != 1 || pause());
	}
	TD_CHECK_INT(read(ready[0], &c, 1), 1);
	TD_CHECK_INT(c, 1);
	TD_CHECK_INT(td_lock_take(path, &lock, &err), -EBUSY);
	TD_CHECK_INT(kill(pid, SIGKILL), 0);
	TD_CHECK_INT(waitpid(pid, NULL, 0), pid);
	TD_CHECK(exists());
	TD_CHECK_INT(td_lock_take(path, &lock, &err), 0);
	td_lock_release(lock);
	TD_CHECK(!exists());
	close(ready[0]);
	close(ready[1]);
}

/* Takes the lock again and again and counts in a file while it holds it: a read and a write that
 * somebody else could come between. */
static int count_under_lock(const char *counter, int rounds)
{
	for (int done = 0; done < rounds;) {
		struct td_lock *lock = NULL;
		int n = 0;
		FILE *f;

		if (td_lock_take(path, &lock, NULL) < 0)
			continue;
		f = fopen(counter, "r+be");
		if (!f || fread(&n, sizeof(n), 1, f) != 1)
			return 1;
		n++;
		rewind(f);
		if (fwrite(&n, sizeof(n), 1, f) != 1 || fclose(f) != 0)
			return 1;
		td_lock_release(lock);
		done++;
	}
	return 0;
}

/* Several processes that remove the file behind each other's back never hold it at once. */
static void test_many_processes(void)
{
	enum { PROCESSES = 4, ROUNDS = 250 };
	char counter[80];
	pid_t pids[PROCESSES];
	int n = 0, status;
	FILE *f;

	TD_CASE("many processes");
	(void)snprintf(counter, sizeof(counter), "%s/counter", dir);
	f = fopen(counter, "wbe");
	TD_CHECK_INT(fwrite(&n, sizeof(n), 1, f), 1);
	TD_CHECK_INT(fclose(f), 0);
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(count_under_lock(counter, ROUNDS));
	}
	for (int i = 0; i < PROCESSES; i++) {
		TD_CHECK_INT(waitpid(pids[i], &status, 0), pids[i]);
		TD_CHECK_INT(status, 0);
	}
	f = fopen(counter, "rbe");
	TD_CHECK_INT(fread(&n, sizeof(n), 1, f), 1);
	TD_CHECK_INT(fclose(f), 0);
	TD_CHECK_INT(n, PROCESSES * ROUNDS);
	TD_CHECK_INT(unlink(counter), 0);
	TD_CHECK(!exists());
}

/* A file of its own kind, open in two places. */
static void test_open_file(void)
{
	_cleanup_close_ int a = -1, b = -1;

	TD_CASE("an open file");
	TD_CHECK(!td_lock_is_held(path));
	a = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	b = open(path, O_RDWR | O_CLOEXEC);
	TD_CHECK_INT(td_lock_open_file(a, path, true), 0);
	TD_CHECK(td_lock_is_held(path));
	TD_CHECK_INT(td_lock_open_file(b, path, false), -EBUSY);
	TD_CHECK_INT(td_lock_open_file(a, path, false), 0); /* both may read */
	TD_CHECK(!td_lock_is_held(path));
	TD_CHECK_INT(td_lock_open_file(b, path, false), 0);
	TD_CHECK_INT(td_lock_open_file(a, path, true), -EBUSY);
	TD_CHECK_INT(unlink(path), 0);
	TD_CHECK_INT(td_lock_open_file(b, path, false), -EBUSY); /* it is not path any more */
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	(void)snprintf(path, sizeof(path), "%s/run.db.lock", dir);
	test_take_and_release();
	test_unwritable_folder();
	test_in_the_way();
	test_killed_holder();
	test_many_processes();
	test_open_file();
	TD_CHECK_INT(rmdir(dir), 0);
	return td_check_result();
}
