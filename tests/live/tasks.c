/* SPDX-License-Identifier: MIT */
/*
 * What strace.py traces: processes and threads that are made, interrupted, stopped, killed and replaced in every
 * way that strace has a notation for. strace.py knows the exit statuses and the numbers of threads.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNUSED(x) ((void)!(x))

static void on_signal(int sig)
{
	(void)sig;
}

static void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	(void)nanosleep(&t, NULL);
}

static void alarm_in_ms(long ms)
{
	struct itimerval t = { .it_value = { 0, ms * 1000 } };

	(void)setitimer(ITIMER_REAL, &t, NULL);
}

/* A message of one byte with a descriptor beside it. */
static ssize_t pass(int socket, int *fd, int send)
{
	char byte = 'x';
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control) };
	ssize_t n;

	if (!send) {
		n = recvmsg(socket, &message, 0);
		memcpy(fd, CMSG_DATA(&control.header), sizeof(*fd));
		return n;
	}
	control.header = (struct cmsghdr){
		.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	};
	memcpy(CMSG_DATA(&control.header), fd, sizeof(*fd));
	return sendmsg(socket, &message, 0);
}

/* exit status 10: reads from a descriptor that came through a socket */
static void passes_descriptor(void)
{
	int sockets[2], fd;
	char buf[77];
	pid_t child;

	UNUSED(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	child = fork();
	if (child == 0) {
		close(sockets[0]);
		UNUSED(pass(sockets[1], &fd, 0));
		UNUSED(read(fd, buf, sizeof(buf)));
		_exit(10);
	}
	fd = open("in.dat", O_RDONLY);
	UNUSED(pass(sockets[0], &fd, 1));
	waitpid(child, NULL, 0);
	close(fd);
	close(sockets[0]);
	close(sockets[1]);
}

/* poll fails with EINTR; a sleep and a read are interrupted, one goes on by a restart. exit status 11 */
static void is_interrupted(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	int fds[2];
	char c;
	pid_t child;

	sigaction(SIGALRM, &action, NULL);
	alarm_in_ms(10);
	poll(NULL, 0, 100);
	alarm_in_ms(10);
	sleep_ms(20);
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	UNUSED(pipe(fds));
	alarm_in_ms(10);
	child = fork();
	if (child == 0) {
		sleep_ms(30);
		UNUSED(write(fds[1], "z", 1));
		_exit(11);
	}
	UNUSED(read(fds[0], &c, 1));
	waitpid(child, NULL, 0);
	close(fds[0]);
	close(fds[1]);
}

/* stopped and continued within calls: restart_syscall. exit status 12 */
static void is_stopped(void)
{
	pid_t child = fork();

	if (child == 0) {
		poll(NULL, 0, 60);
		sleep_ms(60);
		_exit(12);
	}
	for (int i = 0; i < 2; i++) {
		sleep_ms(20);
		kill(child, SIGSTOP);
		sleep_ms(5);
		kill(child, SIGCONT);
		sleep_ms(40);
	}
	waitpid(child, NULL, 0);
}

/* The new program sees descriptor 60, but not 40 and 50. exit status 13 */
static void executes(const char *self)
{
	int fd = open("in.dat", O_RDONLY), other = open("in.dat", O_RDONLY | O_CLOEXEC);
	pid_t child;

	dup3(fd, 40, O_CLOEXEC);
	fcntl(other, F_DUPFD_CLOEXEC, 50);
	fcntl(fd, F_DUPFD, 60);
	child = vfork();
	if (child == 0) {
		execl(self, self, "read", "60", (char *)NULL);
		_exit(126);
	}
	waitpid(child, NULL, 0);
	close_range(40, 60, 0);
	close(fd);
	close(other);
}

static void *reads(void *arg)
{
	char buf[100];
	int fd = open("in.dat", O_RDONLY);

	for (int i = 0; i < 50; i++)
		UNUSED(pread(fd, buf, sizeof(buf), i * 100L));
	close(fd);
	return arg;
}

static void *sleeps(void *arg)
{
	sleep_ms(10000);
	return arg;
}

static void *replaces(void *arg)
{
	sleep_ms(5);
	execl(arg, arg, "exit", "14", (char *)NULL);
	return arg;
}

static void start(void *(*function)(void *arg), void *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, function, arg);
}

/* Four threads that end, in the first process. */
static void has_threads(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, reads, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* exit status 14: of the program that one thread executes while two others sleep */
static void is_replaced(char *self)
{
	pid_t child = fork();

	if (child == 0) {
		start(sleeps, NULL);
		start(replaces, self);
		pause();
		_exit(126);
	}
	waitpid(child, NULL, 0);
}

/* Killed, or ended by the first thread (status 15), while three others sleep. */
static void ends_with_threads(int sig)
{
	pid_t child = fork();

	if (child == 0) {
		for (int i = 0; i < 3; i++)
			start(sleeps, NULL);
		sleep_ms(5);
		if (sig)
			raise(sig);
		_exit(15);
	}
	waitpid(child, NULL, 0);
}

static void odd_descriptors(void)
{
	int poller = epoll_create1(EPOLL_CLOEXEC), event = eventfd(0, 0);
	int memory = memfd_create("m\303\251 m", 0), sockets[2], folder, fd;
	struct epoll_event e = { .events = EPOLLIN };
	sigset_t none;

	epoll_ctl(poller, EPOLL_CTL_ADD, event, &e);
	UNUSED(write(event, "\1\0\0\0\0\0\0\0", 8));
	epoll_wait(poller, &e, 1, 10);
	sigemptyset(&none);
	close(timerfd_create(CLOCK_MONOTONIC, 0));
	close(signalfd(-1, &none, 0));
	UNUSED(write(memory, "hello", 5));
	UNUSED(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	lseek(memory, 0, SEEK_SET);
	UNUSED(sendfile(sockets[0], memory, NULL, 5));
	folder = open(".", O_RDONLY | O_DIRECTORY);
	fd = openat(folder, "in.dat", O_RDONLY);
	close(fd);
	close(folder);
}

static void odd_names(void)
{
	static const char name[] = "weird \n\t<> \"q\" \\ ,) = 3.txt";
	char buf[300];
	struct stat st;
	int fd = open(name, O_CREAT | O_RDWR, 0600);

	UNUSED(write(fd, "\033[31mred\033[0m\n", 11));
	UNUSED(pwrite(fd, ") = 5 <0.1>\n", 11, 3));
	close(fd);
	unlink(name);
	memset(buf, 'a', sizeof(buf) - 1);
	buf[250] = '\0';
	close(open(buf, O_RDONLY));
	stat("in.dat", &st);
	stat("missing", &st);
	UNUSED(symlink("a", "link"));
	UNUSED(readlink("link", buf, sizeof(buf)));
	unlink("link");
	umask(022);
	syscall(SYS_getrandom, buf, 16, 0);
}

int main(int argc, char **argv)
{
	char buf[100];

	if (argc == 3 && strcmp(argv[1], "read") == 0) {
		UNUSED(read((argv[2][0] - '0') * 10 + argv[2][1] - '0', buf, sizeof(buf)));
		return 13;
	}
	if (argc == 3)
		return (argv[2][0] - '0') * 10 + argv[2][1] - '0';
	if (access("in.dat", R_OK) < 0)
		return 1;
	passes_descriptor();
	is_interrupted();
	is_stopped();
	executes(argv[0]);
	has_threads();
	is_replaced(argv[0]);
	ends_with_threads(SIGKILL);
	ends_with_threads(0);
	odd_descriptors();
	odd_names();
	return 0;
}
