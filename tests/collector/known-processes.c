/* SPDX-License-Identifier: MIT */
/*
 * Makes known calls in several threads and processes: known-processes TRUTH_FILE DIR. Descriptors are
 * inherited and passed, processes end in all ways. What becomes of processes is said in lines of
 * {"process":...}, which compare.py also checks.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "tests/collector/truth.h"

#define NTHREADS 4
#define NCALLS 500

static char dir[512];
static char buf[4096];

static void write_known(int fd, const char *path, size_t n, long offset)
{
	long r = call(SYS_write, fd, buf, n);

	truth_line("write", r, ",\"fd\":%d,\"path\":\"%s\",\"asked\":%zu,\"offset\":%ld", fd, path,
		   n, offset);
}

static int create(const char *path)
{
	int fd = (int)call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	truth_line("openat", fd, ",\"fd\":%d,\"path\":\"%s\"", fd, path);
	return fd;
}

/* What is known of a process itself. */
static void process_line(pid_t pid, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void process_line(pid_t pid, const char *fmt, ...)
{
	char text[2048];
	int n = snprintf(text, sizeof(text), "{\"process\":%d,\"parent\":%d", pid, getpid());
	va_list ap;

	va_start(ap, fmt);
	n += vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
	va_end(ap);
	n += snprintf(text + n, sizeof(text) - (size_t)n, "}\n");
	if (write(truth_fd, text, (size_t)n) != n)
		abort();
}

static pid_t wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid;
}

/* --- threads --- */

static void *thread_main(void *arg)
{
	char path[600];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/thread%ld", dir, (long)arg);
	prctl(PR_SET_NAME, path + strlen(dir) + 1);
	truth_begin();
	fd = create(path);
	for (size_t i = 0; i < NCALLS; i++) {
		long r = call(SYS_pwrite64, fd, buf, i % 100, (long)i * 3);

		truth_line("pwrite64", r, ",\"fd\":%d,\"path\":\"%s\",\"asked\":%zu,\"offset\":%ld",
			   fd, path, i % 100, (long)i * 3);
		if (i % 10 == 0) {
			r = call(SYS_pread64, fd, buf + 2048, 10, 0L);
			truth_line("pread64", r,
				   ",\"fd\":%d,\"path\":\"%s\",\"asked\":10,\"offset\":0", fd,
				   path);
		}
	}
	truth_end();
	return NULL;
}

static void known_threads(void)
{
	pthread_t threads[NTHREADS];

	for (long i = 0; i < NTHREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_main, (void *)i))
			abort();
	for (int i = 0; i < NTHREADS; i++)
		pthread_join(threads[i], NULL);
}

/* --- processes --- */

/* Inherits the descriptor. */
static void known_fork(void)
{
	char path[600];
	pid_t pid;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/inherited", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	pid = fork();
	if (pid == 0) {
		truth_begin();
		write_known(fd, path, 50, 0);
		write_known(fd, path, 60, 50);
		truth_end();
		_exit(7);
	}
	wait_for(pid);
	process_line(pid, ",\"status\":7,\"args\":\"known-processes TRUTH %s\"", dir);
	close(fd);
}

static void known_signal(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		raise(SIGKILL);
		_exit(0);
	}
	wait_for(pid);
	process_line(pid, ",\"status\":-9");
}

/* Its first thread ends before the others; the process ends with what exit_group() says. */
static void *last_thread(void *arg)
{
	usleep(20000);
	_exit(5);
}

static void known_late_thread(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t t;

		pthread_create(&t, NULL, last_thread, NULL);
		syscall(SYS_exit, 3);
	}
	wait_for(pid);
	process_line(pid, ",\"status\":5");
}

static void known_exec(bool by_vfork)
{
	pid_t pid = by_vfork ? vfork() : fork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 42", "a word", "", NULL);
		_exit(127);
	}
	wait_for(pid);
	/* the last, empty word leaves nothing but a blank, and that is cut off */
	process_line(pid, ",\"status\":42,\"args\":\"sh -c exit 42 a word\",\"comm\":\"sh\"");
}

/* The program is executed by a thread that is not the first; from then on it is. */
static void *executing_thread(void *arg)
{
	execl("/bin/sh", "sh", "-c", "exit 43", NULL);
	return NULL;
}

static void known_exec_in_thread(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pthread_t t;

		pthread_create(&t, NULL, executing_thread, NULL);
		for (;;)
			pause();
	}
	wait_for(pid);
	process_line(pid, ",\"status\":43,\"args\":\"sh -c exit 43\"");
}

/* --- sockets --- */

static void send_fd(int through, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec v = { buf, 1 };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(int));
	if (sendmsg(through, &m, 0) != 1)
		abort();
}

static int receive_fd(int through)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec v = { buf, 1 };
	struct msghdr m = { .msg_iov = &v,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	int fd;

	if (recvmsg(through, &m, 0) != 1)
		abort();
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));
	return fd;
}

static void known_passing(void)
{
	char path[600];
	int pair[2], fd;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		(void)snprintf(path, sizeof(path), "%s/passed", dir);
		fd = receive_fd(pair[1]);
		truth_begin();
		write_known(fd, path, 77, 0);
		truth_end();
		_exit(0);
	}
	(void)snprintf(path, sizeof(path), "%s/passed", dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	send_fd(pair[0], fd);
	wait_for(pid);
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

static void send_known(int fd, const char *name, size_t n)
{
	long r = call(SYS_sendto, fd, buf, n, 0, NULL, 0);

	truth_line("sendto", r, ",\"fd\":%d,\"path\":\"%s\",\"class\":\"socket\",\"asked\":%zu", fd,
		   name, n);
}

static void receive_known(int fd, const char *name, size_t n)
{
	long r = call(SYS_recvfrom, fd, buf, n, 0, NULL, NULL);

	truth_line("recvfrom", r, ",\"fd\":%d,\"path\":\"%s\",\"asked\":%zu", fd, name, n);
}

/* Both ends in one process; domain says which. Names are of the connecting and of the accepted end. */
static void known_connection(int domain, struct sockaddr *at, socklen_t len, const char *names[2])
{
	int listening = socket(domain, SOCK_STREAM, 0), client = socket(domain, SOCK_STREAM, 0), fd;
	struct iovec v[3] = { { buf, 10 }, { buf, 20 }, { buf, 30 } };
	struct msghdr m = { .msg_iov = v, .msg_iovlen = 3 };
	long r;

	if (bind(listening, at, len) < 0 || listen(listening, 1) < 0)
		abort();
	truth_begin();
	r = call(SYS_connect, client, at, len);
	truth_line("connect", r, ",\"fd\":%d", client);
	fd = (int)call(SYS_accept4, listening, NULL, NULL, 0);
	truth_line("accept4", fd, ",\"fd\":%d,\"path\":\"%s\"", listening, names[1]);
	send_known(client, names[0], 1000);
	receive_known(fd, names[1], 4096);
	r = call(SYS_sendmsg, fd, &m, 0);
	truth_line("sendmsg", r, ",\"fd\":%d,\"path\":\"%s\",\"asked\":60", fd, names[1]);
	receive_known(client, names[0], 4096);
	r = call(SYS_write, client, buf, 5);
	truth_line("write", r, ",\"fd\":%d,\"path\":\"%s\",\"asked\":5", client, names[0]);
	truth_end();
	close(fd);
	close(client);
	close(listening);
}

static void known_sockets(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK) },
				  .sin_port = htons(18733) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
				    .sin6_addr = IN6ADDR_LOOPBACK_INIT,
				    .sin6_port = htons(18734) };
	char name[200], peer[200];

	if ((size_t)snprintf(un.sun_path, sizeof(un.sun_path), "%s/sock", dir) <
	    sizeof(un.sun_path)) {
		(void)snprintf(name, sizeof(name), "unix:%s", un.sun_path);
		(void)snprintf(peer, sizeof(peer), "unix:->%s", un.sun_path);
		known_connection(AF_UNIX, (struct sockaddr *)&un, sizeof(un),
				 (const char *[]){ peer, name });
	}
	/* '*' is the client's port */
	known_connection(AF_INET, (struct sockaddr *)&in, sizeof(in),
			 (const char *[]){ "tcp:127.0.0.1:*->127.0.0.1:18733",
					   "tcp:127.0.0.1:18733->127.0.0.1:*" });
	known_connection(
		AF_INET6, (struct sockaddr *)&in6, sizeof(in6),
		(const char *[]){ "tcp:[::1]:*->[::1]:18734", "tcp:[::1]:18734->[::1]:*" });
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	truth_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (truth_fd < 0 || strlen(argv[2]) >= sizeof(dir))
		return 1;
	(void)snprintf(dir, sizeof(dir), "%s", argv[2]);
	known_threads();
	known_fork();
	known_signal();
	known_late_thread();
	known_exec(false);
	known_exec(true);
	known_exec_in_thread();
	known_passing();
	known_sockets();
	return 0;
}
