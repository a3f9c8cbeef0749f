/* SPDX-License-Identifier: MIT */
/*
 * A program with NVTX ranges for nvtx.py, without NVTX: what its headers do is done here (as of
 * nvtxTypes.h and nvtxInit.h of NVTX 3, by their numbers), once for each of two 'libraries' that
 * have ranges. The argument says what it does. Built with INSIDE the library under test is a part
 * of it, so that sanitizers see it.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

typedef void (*function)(void);
typedef const void *get_table(uint32_t);

int InitializeInjectionNvtx2(get_table *get);

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- the headers' side --- */

enum { CORE = 1, CORE2 = 5, CORE_SIZE = 16, CORE2_SIZE = 16 };

static struct nvtx {
	function core[CORE_SIZE], core2[CORE2_SIZE];
	function *core_places[CORE_SIZE + 1], *core2_places[CORE2_SIZE + 1];
} libraries[2], *current;
static uint32_t version;

static int get_module(int module, function ***places, unsigned *count)
{
	if (module != CORE && module != CORE2)
		return 0;
	*places = module == CORE ? current->core_places : current->core2_places;
	*count = module == CORE ? CORE_SIZE : CORE2_SIZE;
	return 1;
}

static void set_version(uint32_t v)
{
	version = v;
}

static const struct {
	size_t size;
	int (*get_module)(int, function ***, unsigned *);
} callbacks = { sizeof(callbacks), get_module };
static const struct {
	size_t size;
	uint32_t version, pad;
	void (*set)(uint32_t);
} versions = { sizeof(versions), 3, 0, set_version };

static const void *table(uint32_t id)
{
	return id == 1 ? (const void *)&callbacks : id == 3 ? (const void *)&versions : NULL;
}

static int initialize(struct nvtx *n)
{
	int (*begin)(get_table *) = NULL;
#ifdef INSIDE
	begin = InitializeInjectionNvtx2;
#else
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;

	if (library)
		*(void **)&begin = dlsym(library, "InitializeInjectionNvtx2");
#endif
	for (int i = 1; i < CORE_SIZE; i++)
		n->core_places[i] = &n->core[i];
	for (int i = 1; i < CORE2_SIZE; i++)
		n->core2_places[i] = &n->core2[i];
	current = n;
	return begin ? begin(table) : 0;
}

/* The functions by their numbers in the tables of modules; they do nothing without a library. */
#define CALL(n, module, number, type, none, ...)                                                   \
	((n)->module[number] ? ((type)(n)->module[number])(__VA_ARGS__) : (none))

struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	union {
		uint64_t u;
		int64_t i;
		double d;
		uint32_t u32;
		int32_t i32;
		float f;
	} payload;
	int32_t message_type;
	union {
		const char *ascii;
		const wchar_t *wide;
		void *registered;
	} message;
};
#define ATTRIBUTES .version = 3, .size = sizeof(struct attributes)

static int push(struct nvtx *n, const char *text)
{
	return CALL(n, core, 9, int (*)(const char *), -2, text);
}

static int pop(struct nvtx *n)
{
	return CALL(n, core, 11, int (*)(void), -2);
}

static int push_in(struct nvtx *n, void *domain, const struct attributes *a)
{
	return CALL(n, core2, 4, int (*)(void *, const struct attributes *), -2, domain, a);
}

static int pop_in(struct nvtx *n, void *domain)
{
	return CALL(n, core2, 5, int (*)(void *), -2, domain);
}

static uint64_t start(struct nvtx *n, const char *text)
{
	return CALL(n, core, 5, uint64_t(*)(const char *), 0, text);
}

static void end(struct nvtx *n, uint64_t range)
{
	if (n->core[7])
		((void (*)(uint64_t))n->core[7])(range);
}

static void *create_domain(struct nvtx *n, const char *name)
{
	return CALL(n, core2, 12, void *(*)(const char *), NULL, name);
}

static void *register_string(struct nvtx *n, void *domain, const char *text)
{
	return CALL(n, core2, 10, void *(*)(void *, const char *), NULL, domain, text);
}

static void mark(struct nvtx *n, const char *text)
{
	if (n->core[2])
		((void (*)(const char *))n->core[2])(text);
}

/* --- what the program does --- */

static uint64_t of_any_thread;

static void *other_thread(void *arg)
{
	struct nvtx *n = arg;

	printf("tid %ld\n", syscall(SYS_gettid));
	if (n->core[14])
		((void (*)(uint32_t, const char *))n->core[14])((uint32_t)syscall(SYS_gettid),
								"loader-1");
	end(n, of_any_thread);
	return NULL;
}

static void in_domains(struct nvtx *n)
{
	void *domain = create_domain(n, "data"), *text = register_string(n, domain, "load");
	struct attributes a = { ATTRIBUTES, .category = 7, .payload_type = 3, .message_type = 3 };

	if (n->core2[8])
		((void (*)(void *, uint32_t, const char *))n->core2[8])(domain, 7, "disk");
	a.payload.d = 0.25;
	a.message.registered = text;
	printf("levels %d", push(n, "outer"));
	printf(" %d", push_in(n, domain, &a));
	a = (struct attributes){ ATTRIBUTES, .category = 8, .message_type = 1 };
	a.message.ascii = "decode";
	printf(" %d", push_in(n, domain, &a));
	/* the default domain's ends first, although it is the outermost */
	printf(" %d", pop(n));
	printf(" %d", pop_in(n, domain));
	printf(" %d", pop_in(n, domain));
	printf(" %d\n", pop_in(n, domain));
}

static void marks(struct nvtx *n)
{
	static const struct {
		int32_t type;
		uint64_t payload;
	} payloads[] = { { 1, 9 }, { 2, UINT64_MAX }, { 4, 4000000000 }, { 5, 0xfffffffe } };
	struct attributes a = { ATTRIBUTES, .message_type = 2 };

	mark(n, "plain");
	a.message.wide = L"\u00e4\u20ac\U0001f600";
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		a.payload_type = payloads[i].type;
		a.payload.u = payloads[i].payload;
		if (n->core[1])
			((void (*)(const struct attributes *))n->core[1])(&a);
	}
	a.size = 16; /* of no version */
	if (n->core[1])
		((void (*)(const struct attributes *))n->core[1])(&a);
}

static void *nest(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		(void)push(arg, "a");
		(void)push(arg, "b");
		(void)pop(arg);
		(void)pop(arg);
	}
	return NULL;
}

static int plain(struct nvtx *first, struct nvtx *second)
{
	pthread_t thread;

	printf("first %d", push(first, "step"));
	printf(" %d\npops", push(second, "inner"));
	printf(" %d", pop(second));
	printf(" %d", pop(first));
	printf(" %d\n", pop(first));
	of_any_thread = start(first, "anywhere");
	if (pthread_create(&thread, NULL, other_thread, first) || pthread_join(thread, NULL))
		return 1;
	in_domains(first);
	marks(second);
	return 0;
}

static int deep(struct nvtx *n)
{
	int last = 0;

	for (int i = 0; i < 70; i++)
		last = push(n, "deep");
	printf("deepest %d\n", last);
	for (int i = 0; i < 70; i++)
		last = pop(n);
	printf("popped %d", last);
	printf(" %d\n", pop(n));
	return 0;
}

static int threads(struct nvtx *n)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&thread[i], NULL, nest, n))
			return 1;
	for (int i = 0; i < 4; i++)
		(void)pthread_join(thread[i], NULL);
	return 0;
}

/* More than the ring holds, and more texts than are remembered. */
static int many(struct nvtx *n)
{
	char text[32];

	for (int i = 0; i < 400000; i++) {
		(void)snprintf(text, sizeof(text), "batch %d", i % 70000);
		mark(n, text);
	}
	return 0;
}

static int in_child(struct nvtx *n)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		(void)push(n, "child");
		(void)pop(n);
		exit(0);
	}
	(void)waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "plain";
	int r = 0, first, second;

	first = initialize(&libraries[0]);
	second = initialize(&libraries[1]);
	printf("begin %" PRIu64 "\ninitialized %d %d %u\n", now_ns(), first, second, version);
	if (strcmp(what, "plain") == 0)
		r = plain(&libraries[0], &libraries[1]);
	else if (strcmp(what, "deep") == 0)
		r = deep(&libraries[0]);
	else if (strcmp(what, "threads") == 0)
		r = threads(&libraries[0]);
	else if (strcmp(what, "many") == 0)
		r = many(&libraries[0]);
	else if (strcmp(what, "fork") == 0)
		r = in_child(&libraries[0]);
	printf("end %" PRIu64 "\n", now_ns());
	(void)fflush(stdout);
	if (strcmp(what, "kill") == 0) {
		(void)push(&libraries[0], "open");
		(void)kill(getpid(), SIGKILL);
	}
	return r;
}
