/* SPDX-License-Identifier: MIT */
/*
 * What record.sh traces: a program whose system calls are known in advance. tests/unit/test-strace.c
 * asserts the counts and sizes named here.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* in.dat has 4 * 4096 + 100 bytes: six reads of 4096 give 4096 four times, 100 and 0. */
static void read_all(void)
{
	static char buf[4096];
	int fd = open("in.dat", O_RDONLY);

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
	(void)!open("missing", O_RDONLY);
}

/* A name and contents full of what a careless parser takes for syntax. 40 + 10 + 12 + 4 bytes; the
 * last 4 through a copy of the descriptor. */
static void write_nasty(void)
{
	static const char text[] = "\0\377\"\n\\ <... x resumed> = 3 <unfinished ...>";
	struct iovec iov[2] = { { (void *)"hello", 5 }, { (void *)"= 3 <0>", 7 } };
	int fd = open("na me (1), = 2", O_RDWR | O_CREAT | O_TRUNC, 0644), copy;
	char back[10];
	struct stat st;

	(void)!write(fd, text, 40);
	(void)!pwrite(fd, "0123456789", 10, 8192);
	(void)!pread(fd, back, 10, 8192);
	lseek(fd, 0, SEEK_END);
	(void)!writev(fd, iov, 2);
	fstat(fd, &st);
	copy = dup(fd);
	close(fd);
	(void)!write(copy, "copy", 4);
	close(copy);
	unlink("na me (1), = 2");
}

/* Things that have no name on disk: 1 byte through a pipe, 8 to an eventfd, 5 to a memfd, 6 + 6 to shared
 * memory, the last 6 after it was deleted. */
static void anonymous(void)
{
	int fds[2], fd;
	char c;

	(void)!pipe2(fds, O_CLOEXEC);
	(void)!write(fds[1], "x", 1);
	(void)!read(fds[0], &c, 1);
	fd = eventfd(0, EFD_CLOEXEC);
	(void)!write(fd, "\1\0\0\0\0\0\0\0", 8);
	fd = memfd_create("td-mem", MFD_CLOEXEC);
	(void)!write(fd, "12345", 5);
	fd = open("/dev/shm/td-shm", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	(void)!write(fd, "before", 6);
	unlink("/dev/shm/td-shm");
	(void)!write(fd, "after.", 6);
}

/* 3 * 4096 bytes by a second thread. */
static void *thread(void *arg)
{
	static char buf[4096];
	int fd = open("in.dat", O_RDONLY);

	(void)arg;
	for (int i = 0; i < 3; i++)
		(void)!pread(fd, buf, sizeof(buf), i * 4096L);
	close(fd);
	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
}

/* After execve: 100 bytes through the descriptor that was inherited, which is not close-on-exec. */
static int child(void)
{
	char buf[100];

	(void)!read(9, buf, sizeof(buf));
	return 3;
}

int main(int argc, char **argv)
{
	pthread_t th;
	pid_t pid;

	if (argc > 1)
		return child();
	read_all();
	write_nasty();
	anonymous();
	pthread_create(&th, NULL, thread, NULL);
	pthread_join(th, NULL);
	signal(SIGUSR1, on_signal);
	kill(getpid(), SIGUSR1);
	dup2(open("in.dat", O_RDONLY | O_CLOEXEC), 9);
	pid = fork();
	if (pid == 0) {
		execl("./prog", "prog", "a \"child\"", NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(126);
	}
	usleep(20000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}
