/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "collector/cuda/ring.h"
#include "collector/cuda/rings.h"
#include "collector/spool/clocks.h"
#include "common/array.h"
#include "common/cleanup.h"
#include "common/log.h"
#include "schema/wire.h"

#define LIBRARY "libtracedb-cuda.so"
#define RINGS_MAX 4096 /* processes that used CUDA */
#define PART ((size_t)1 << 20) /* what is read at once; more than the largest record */
#define VARS 6

struct ring {
	char name[32]; /* of the file */
	int fd; /* -1: it was spoilt */
	uint64_t read; /* as in the file, which the program could change */
	struct td_cuda_ring head; /* as it was last seen */
	struct td_cuda_ring told; /* of the counts: what was said of loss */
};

struct td_cuda_rings {
	char dir[64];
	int dir_fd;
	uid_t uid;
	struct ring *rings;
	size_t n, cap;
	char *part; /* PART bytes */
	uint64_t told_ns; /* when loss was last said */
	char *vars[VARS + 1];
};

/* --- the folder --- */

int td_cuda_rings_new(uid_t uid, gid_t gid, struct td_cuda_rings **ret, struct td_err *err)
{
	static const char *const places[] = { "/dev/shm", "/tmp" };
	struct td_cuda_rings *c = calloc(1, sizeof(*c));
	bool made = false;

	if (!c)
		return -ENOMEM;
	c->uid = uid;
	c->dir_fd = -1;
	c->told_ns = td_boot_ns();
	c->part = malloc(PART);
	for (size_t i = 0; i < TD_ARRAY_SIZE(places) && !made; i++) {
		(void)snprintf(c->dir, sizeof(c->dir), "%s/tracedb-cuda-XXXXXX", places[i]);
		made = mkdtemp(c->dir) != NULL;
	}
	if (made)
		c->dir_fd = open(c->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (c->dir_fd >= 0 && c->part && (uid == geteuid() || fchown(c->dir_fd, uid, gid) == 0)) {
		*ret = c;
		return 0;
	}
	td_cuda_rings_free(c);
	return td_err_errno(err, -errno, "cannot make a folder for --cuda in /dev/shm or /tmp");
}

/* With whatever programs have put into it, but for folders. */
static void remove_folder(struct td_cuda_rings *c)
{
	DIR *dir = fdopendir(c->dir_fd);
	const struct dirent *entry;

	if (dir)
		rewinddir(dir);
	while (dir && (entry = readdir(dir)))
		(void)unlinkat(c->dir_fd, entry->d_name, 0);
	if (dir)
		(void)closedir(dir);
	else
		close(c->dir_fd);
	(void)rmdir(c->dir);
}

void td_cuda_rings_free(struct td_cuda_rings *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		if (c->rings[i].fd >= 0)
			close(c->rings[i].fd);
	if (c->dir_fd >= 0)
		remove_folder(c);
	for (size_t i = 0; i < VARS; i++)
		free(c->vars[i]);
	free(c->rings);
	free(c->part);
	free(c);
}

const char *td_cuda_rings_dir(const struct td_cuda_rings *c)
{
	return c->dir;
}

/* --- the environment --- */

static bool try_library(const char *dir, const char *below, char *ret)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/" LIBRARY, dir, below) >= sizeof(path))
		return false;
	return realpath(path, ret) && access(ret, R_OK) == 0;
}

/* As it was built or installed, beside this program. ret: PATH_MAX bytes. */
static int find_library(char *ret, struct td_err *err)
{
	static const char *const places[] = { ".", "cuda", "../lib/tracedb" };
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[TD_MAX(n, (ssize_t)0)] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && i < TD_ARRAY_SIZE(places); i++)
		if (try_library(self, places[i], ret))
			return 0;
	return td_err_set(err, -ENOENT, "'" LIBRARY "' is not beside tracedb-record");
}

static const char *value_of(char *const vars[], const char *name)
{
	size_t len = strlen(name);

	for (; *vars; vars++)
		if (strncmp(*vars, name, len) == 0 && (*vars)[len] == '=')
			return *vars + len + 1;
	return "";
}

const char *td_cuda_rings_other_nvtx(char *const vars[])
{
	return value_of(vars, "NVTX_INJECTION64_PATH");
}

int td_cuda_rings_environment(struct td_cuda_rings *c, char *const vars[],
			      const struct td_cuda_choice *choice, char *const **ret,
			      struct td_err *err)
{
	const char *other = value_of(vars, "CUDA_INJECTION64_PATH");
	const char *preload = value_of(vars, "LD_PRELOAD");
	char library[PATH_MAX];
	size_t n = 0;
	int r;

	if (*other)
		return td_err_set(err, -EEXIST,
				  "CUDA_INJECTION64_PATH is set already, to '%s', and is kept: "
				  "--cuda records nothing",
				  other);
	r = find_library(library, err);
	if (r < 0)
		return r;
	if (asprintf(&c->vars[n++], "CUDA_INJECTION64_PATH=%s", library) < 0 ||
	    asprintf(&c->vars[n++], "LD_PRELOAD=%s%s%s", preload, *preload ? ":" : "", library) <
		    0 ||
	    asprintf(&c->vars[n++], TD_CUDA_DIR "=%s", c->dir) < 0 ||
	    (choice->cupti && asprintf(&c->vars[n++], TD_CUDA_CUPTI "=%s", choice->cupti) < 0) ||
	    (choice->graphs && asprintf(&c->vars[n++], TD_CUDA_GRAPHS "=%s", choice->graphs) < 0) ||
	    (!*td_cuda_rings_other_nvtx(vars) &&
	     asprintf(&c->vars[n++], "NVTX_INJECTION64_PATH=%s", library) < 0))
		return -ENOMEM;
	*ret = c->vars;
	return 0;
}

/* --- new rings --- */

/* The size of the file is checked, but it is only ever read, so that it may become anything. */
static bool is_ring(const struct td_cuda_rings *c, int fd, struct td_cuda_ring *head)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == c->uid &&
	       pread(fd, head, sizeof(*head), 0) == (ssize_t)sizeof(*head) &&
	       memcmp(head->magic, TD_CUDA_MAGIC, sizeof(TD_CUDA_MAGIC)) == 0 &&
	       head->version == TD_CUDA_VERSION && head->size == TD_CUDA_SIZE;
}

static bool is_known(const struct td_cuda_rings *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->rings[i].name, name) == 0)
			return true;
	return false;
}

static int add_ring(struct td_cuda_rings *c, const char *name)
{
	struct ring ring = { .fd = -1 };
	int r;

	if (strlen(name) >= sizeof(ring.name) || c->n == RINGS_MAX || is_known(c, name))
		return 0;
	memcpy(ring.name, name, strlen(name));
	ring.fd = openat(c->dir_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (ring.fd < 0 || !is_ring(c, ring.fd, &ring.head)) {
		td_closep(&ring.fd);
		return 0; /* it is looked at again: perhaps it is not ready */
	}
	r = td_grow(&c->rings, &c->cap, c->n);
	if (r < 0) {
		close(ring.fd);
		return r;
	}
	ring.head.read = 0;
	c->rings[c->n++] = ring;
	return 0;
}

static int find_rings(struct td_cuda_rings *c)
{
	int fd = fcntl(c->dir_fd, F_DUPFD_CLOEXEC, 0), r = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		td_closep(&fd);
		return 0;
	}
	rewinddir(dir);
	while (r == 0 && (entry = readdir(dir)))
		if (strstr(entry->d_name, TD_CUDA_SUFFIX))
			r = add_ring(c, entry->d_name);
	(void)closedir(dir);
	return r;
}

/* --- what is in them --- */

static bool read_at(const struct ring *ring, uint64_t at, char *p, size_t size)
{
	size_t first = TD_MIN(size, (size_t)(TD_CUDA_SIZE - at % TD_CUDA_SIZE));

	return pread(ring->fd, p, first, (off_t)(TD_CUDA_DATA_AT + at % TD_CUDA_SIZE)) ==
		       (ssize_t)first &&
	       pread(ring->fd, p + first, size - first, TD_CUDA_DATA_AT) == (ssize_t)(size - first);
}

/* What the library writes; the program could write anything. */
static bool is_of_library(const struct td_wire_head *h)
{
	return h->kind == TD_WIRE_NOTE || h->kind == TD_WIRE_GPU_NAME ||
	       h->kind == TD_WIRE_GPU_OP || h->kind == TD_WIRE_GPU_CALL ||
	       h->kind == TD_WIRE_NVTX || h->kind == TD_WIRE_NVTX_END ||
	       h->kind == TD_WIRE_GPU_MEMORY || h->kind == TD_WIRE_GPU_UNSEEN ||
	       h->kind == TD_WIRE_PROCESS_RANK;
}

/* Bytes of the whole records at the begin of what is there; -EBADMSG: one is spoilt. */
static ssize_t whole_records(const char *p, size_t size)
{
	size_t n = 0;

	while (size - n >= sizeof(struct td_wire_head)) {
		const struct td_wire_head *h = (const struct td_wire_head *)(p + n);

		if (h->size < sizeof(*h) || h->size % 8 || !is_of_library(h))
			return -EBADMSG;
		if (h->size > size - n)
			break;
		n += h->size;
	}
	return (ssize_t)n;
}

/* Nothing more is read of it. */
static ssize_t give_up(struct ring *ring)
{
	td_closep(&ring->fd);
	ring->fd = -1;
	return 0;
}

/* At most PART bytes. */
static ssize_t drain_part(struct td_cuda_rings *c, struct ring *ring, td_sink *sink, void *arg)
{
	struct td_cuda_ring head;
	ssize_t n;
	int r;

	if (pread(ring->fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return give_up(ring);
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* the data after the count */
	if (head.written - ring->read > TD_CUDA_SIZE)
		return give_up(ring);
	ring->head = head;
	n = (ssize_t)TD_MIN(head.written - ring->read, (uint64_t)PART);
	if (n == 0)
		return 0;
	if (!read_at(ring, ring->read, c->part, (size_t)n))
		return give_up(ring);
	n = whole_records(c->part, (size_t)n);
	if (n <= 0)
		return give_up(ring);
	r = sink(arg, c->part, (size_t)n);
	ring->read += (uint64_t)n;
	if (pwrite(ring->fd, &ring->read, sizeof(ring->read),
		   offsetof(struct td_cuda_ring, read)) != (ssize_t)sizeof(ring->read))
		return give_up(ring);
	return r < 0 ? r : n;
}

/* All that was written when this began: a ring that is written as fast as it is read does not keep
 * the others waiting. */
static ssize_t drain_ring(struct td_cuda_rings *c, struct ring *ring, td_sink *sink, void *arg)
{
	ssize_t total = 0, n;
	uint64_t end = 0;

	do {
		n = ring->fd >= 0 ? drain_part(c, ring, sink, arg) : 0;
		if (total == 0)
			end = ring->head.written;
		total += TD_MAX(n, (ssize_t)0);
	} while (n > 0 && ring->read < end);
	return n < 0 ? n : total;
}

ssize_t td_cuda_rings_drain(struct td_cuda_rings *c, td_sink *sink, void *arg)
{
	ssize_t total = 0, n;
	int r = find_rings(c);

	for (size_t i = 0; i < c->n && r == 0; i++) {
		n = drain_ring(c, &c->rings[i], sink, arg);
		r = n < 0 ? (int)n : 0;
		total += TD_MAX(n, (ssize_t)0);
	}
	return r < 0 ? r : total;
}

/* --- loss --- */

static const char *const kind_names[TD_CUDA_NKINDS] = {
	[TD_CUDA_KERNELS] = "cuda-kernels",
	[TD_CUDA_COPIES] = "cuda-copies",
	[TD_CUDA_SETS] = "cuda-sets",
	[TD_CUDA_CALLS] = "cuda-calls",
	[TD_CUDA_NVTX] = "nvtx",
	[TD_CUDA_MEMORY] = "cuda-memory",
};

static int put_loss(struct td_cuda_rings *c, size_t i, size_t kind, uint64_t now_ns, td_sink *sink,
		    void *arg)
{
	struct ring *ring = &c->rings[i];
	union {
		struct td_wire_loss loss;
		char bytes[sizeof(struct td_wire_loss) + 32];
	} b = { .bytes = { 0 } };
	size_t len = strlen(kind_names[kind]);

	b.loss = (struct td_wire_loss){
		.from_ns = c->told_ns,
		.to_ns = now_ns,
		.generated = ring->head.kinds[kind].made - ring->told.kinds[kind].made,
		.lost = ring->head.kinds[kind].lost - ring->told.kinds[kind].lost,
		.ring = (uint8_t)i,
		.name_len = (uint8_t)len,
		.ring_size_bytes = (uint32_t)TD_CUDA_SIZE,
	};
	if (!b.loss.generated && !b.loss.lost)
		return 0;
	memcpy(b.bytes + offsetof(struct td_wire_loss, name), kind_names[kind], len);
	b.loss.head.kind = TD_WIRE_LOSS;
	b.loss.head.size = (uint16_t)((offsetof(struct td_wire_loss, name) + len + 7) & ~(size_t)7);
	ring->told.kinds[kind] = ring->head.kinds[kind];
	return sink(arg, &b, b.loss.head.size);
}

int td_cuda_rings_loss(struct td_cuda_rings *c, td_sink *sink, void *arg)
{
	uint64_t now_ns = td_boot_ns();
	int r = 0;

	for (size_t i = 0; i < c->n && r == 0; i++)
		for (size_t kind = 0; kind < TD_CUDA_NKINDS && r == 0; kind++)
			r = put_loss(c, i, kind, now_ns, sink, arg);
	c->told_ns = now_ns;
	return r;
}

uint64_t td_cuda_rings_short_calls(const struct td_cuda_rings *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->rings[i].head.short_calls;
	return n;
}

size_t td_cuda_rings_processes(const struct td_cuda_rings *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->rings[i].head.uses_cuda != 0;
	return n;
}

size_t td_cuda_rings_spoilt(const struct td_cuda_rings *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->rings[i].fd < 0;
	return n;
}
