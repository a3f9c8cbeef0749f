/* SPDX-License-Identifier: MIT */
/*
 * NVTX, the half of libtracedb-cuda.so beside inject.c: ranges and marks that a program, or a
 * library in it, says go into the process's ring as they come. Begin and end of a range are told by
 * themselves, so that one which is open when the program is killed is known. Push and pop are
 * paired here, for each thread and domain.
 *
 * Handles of domains and of registered strings are what they are called, a struct td_number, which
 * stays.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/cuda/nvtx_abi.h"
#include "collector/cuda/teller.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define EXPORT __attribute__((visibility("default")))

#define OPEN_MAX 64 /* ranges that a thread has pushed; deeper ones are not told, but counted */
#define CATEGORIES 256 /* with a name */
#define ERROR (-1) /* of push and pop, which else return how deep the range is */

static struct {
	uint64_t ranges; /* numbers given; atomic */
	/* with the lock of td_teller */
	struct td_numbers texts;
	size_t ncategories;
	struct category {
		const struct td_number *domain;
		uint32_t category;
		struct td_number *name;
	} categories[CATEGORIES];
} g;

static __thread struct {
	uint32_t tid;
	uint32_t nopen;
	uint32_t deeper; /* pushes beyond OPEN_MAX */
	struct {
		const struct td_number *domain;
		uint64_t range;
	} open[OPEN_MAX];
} me;

static uint32_t own_tid(void)
{
	if (!me.tid)
		me.tid = (uint32_t)syscall(SYS_gettid);
	return me.tid;
}

/* --- texts; with the lock --- */

/* What a program says: one of them, or nothing. */
struct said {
	const struct td_nvtx_attributes *attributes;
	const char *text;
	const wchar_t *wide;
};

/* As UTF-8, cut at TD_NAME_MAX bytes; what is no character becomes '?'. */
static const char *narrow(const wchar_t *wide, char ret[TD_NAME_MAX + 1])
{
	char *p = ret;

	for (; *wide && p - ret <= TD_NAME_MAX - 4; wide++) {
		uint32_t c = (uint32_t)*wide;

		if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			c = '?';
		if (c < 0x80) {
			*p++ = (char)c;
			continue;
		}
		if (c >= 0x10000) {
			*p++ = (char)(0xf0 | c >> 18);
			*p++ = (char)(0x80 | (c >> 12 & 0x3f));
		} else if (c >= 0x800) {
			*p++ = (char)(0xe0 | c >> 12);
		}
		*p++ = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6);
		*p++ = (char)(0x80 | (c & 0x3f));
	}
	*p = '\0';
	return ret;
}

/* For a handle: stays, whatever its number. NULL: out of memory. */
static struct td_number *kept(const char *text)
{
	struct td_number *n = td_number_of(&g.texts, text);

	if (n)
		return n;
	n = calloc(1, sizeof(*n)); /* there are too many to remember */
	if (n)
		n->name = strdup(text);
	if (n && !n->name) {
		free(n);
		return NULL;
	}
	return n;
}

/* 0: there is no room. */
static uint32_t number_of(struct td_number *n)
{
	if (!n->number)
		n->number = td_tell_name(n->name, strlen(n->name));
	return n->number;
}

/* Texts that are made up for each range, with a number in them, can be too many to remember: those
 * are told each time. False:
 * there is no room for it. */
static bool number_of_text(const char *text, uint32_t *ret)
{
	struct td_number *n;

	if (!text || !*text)
		return true;
	n = td_number_of(&g.texts, text);
	*ret = n ? number_of(n) : td_tell_name(text, strlen(text));
	return *ret != 0;
}

static bool number_of_handle(struct td_number *handle, uint32_t *ret)
{
	if (handle)
		*ret = number_of(handle);
	return !handle || *ret;
}

static bool number_of_wide(const wchar_t *wide, uint32_t *ret)
{
	char text[TD_NAME_MAX + 1];

	return !wide || number_of_text(narrow(wide, text), ret);
}

static bool number_of_message(const struct td_nvtx_attributes *a, uint32_t *ret)
{
	switch (a->message_type) {
	case TD_NVTX_ASCII:
		return number_of_text(a->message.ascii, ret);
	case TD_NVTX_UNICODE:
		return number_of_wide(a->message.unicode, ret);
	case TD_NVTX_REGISTERED:
		return number_of_handle(a->message.registered, ret);
	default:
		return true;
	}
}

static struct category *find_category(const struct td_number *domain, uint32_t category)
{
	for (size_t i = 0; i < g.ncategories; i++)
		if (g.categories[i].domain == domain && g.categories[i].category == category)
			return &g.categories[i];
	return NULL;
}

static bool fill_attributes(struct td_wire_nvtx *w, const struct td_number *domain,
			    const struct td_nvtx_attributes *a)
{
	const struct category *c = a->category ? find_category(domain, a->category) : NULL;

	if (a->size < sizeof(*a))
		return true; /* of no version that there was */
	w->category = a->category;
	if (a->payload_type >= TD_WIRE_NVTX_U64 && a->payload_type <= TD_WIRE_NVTX_FLOAT) {
		w->payload_type = (uint32_t)a->payload_type;
		w->payload = a->payload;
	}
	return number_of_message(a, &w->text) &&
	       (!c || number_of_handle(c->name, &w->category_name));
}

static bool fill(struct td_wire_nvtx *w, struct td_number *domain, const struct said *s)
{
	return number_of_handle(domain, &w->domain) && number_of_text(s->text, &w->text) &&
	       number_of_wide(s->wide, &w->text) &&
	       (!s->attributes || fill_attributes(w, domain, s->attributes));
}

/* --- records --- */

/* The time of a begin is taken last, that of an end first: what telling takes is not the program's. */
static void tell(enum td_wire_nvtx_kind kind, uint32_t tid, struct td_number *domain,
		 const struct said *s, uint64_t range)
{
	struct td_wire_nvtx w = { .head = { .flags = (uint8_t)kind, .tid = tid }, .range = range };

	(void)pthread_mutex_lock(&td_teller.lock);
	if (td_teller.ring) {
		bool whole = fill(&w, domain, s);

		w.pid = td_teller.ring->pid;
		w.time_ns = td_teller_clock_ns(CLOCK_BOOTTIME);
		td_teller.ring->kinds[TD_CUDA_NVTX].made++;
		if (!whole || !td_tell(&w, TD_WIRE_NVTX, sizeof(w)))
			td_teller.ring->kinds[TD_CUDA_NVTX].lost++;
	}
	(void)pthread_mutex_unlock(&td_teller.lock);
}

static void tell_end(uint64_t range)
{
	struct td_wire_nvtx_end w = { .head = { .tid = own_tid() },
				      .time_ns = td_teller_clock_ns(CLOCK_BOOTTIME),
				      .range = range };

	(void)pthread_mutex_lock(&td_teller.lock);
	if (td_teller.ring) {
		w.pid = td_teller.ring->pid;
		td_teller.ring->kinds[TD_CUDA_NVTX].made++;
		if (!td_tell(&w, TD_WIRE_NVTX_END, sizeof(w)))
			td_teller.ring->kinds[TD_CUDA_NVTX].lost++;
	}
	(void)pthread_mutex_unlock(&td_teller.lock);
}

static void count_lost(void)
{
	(void)pthread_mutex_lock(&td_teller.lock);
	if (td_teller.ring) {
		td_teller.ring->kinds[TD_CUDA_NVTX].made++;
		td_teller.ring->kinds[TD_CUDA_NVTX].lost++;
	}
	(void)pthread_mutex_unlock(&td_teller.lock);
}

/* --- ranges --- */

/* Ranges of the domain that the thread has pushed. */
static int depth_of(const struct td_number *domain)
{
	int n = 0;

	for (uint32_t i = 0; i < me.nopen; i++)
		n += me.open[i].domain == domain;
	return n;
}

static int push(struct td_number *domain, const struct said *s)
{
	uint64_t range;

	if (me.nopen == OPEN_MAX) {
		me.deeper++;
		count_lost();
		return ERROR;
	}
	range = __atomic_add_fetch(&g.ranges, 1, __ATOMIC_RELAXED);
	me.open[me.nopen].domain = domain;
	me.open[me.nopen++].range = range;
	tell(TD_WIRE_NVTX_PUSH, own_tid(), domain, s, range);
	return depth_of(domain) - 1;
}

static int pop(const struct td_number *domain)
{
	uint32_t i = me.nopen;

	if (me.deeper) {
		me.deeper--;
		return ERROR;
	}
	while (i && me.open[i - 1].domain != domain)
		i--;
	if (!i)
		return ERROR;
	tell_end(me.open[i - 1].range);
	memmove(&me.open[i - 1], &me.open[i], (me.nopen - i) * sizeof(me.open[0]));
	me.nopen--;
	return depth_of(domain);
}

static uint64_t start(struct td_number *domain, const struct said *s)
{
	uint64_t range = __atomic_add_fetch(&g.ranges, 1, __ATOMIC_RELAXED);

	tell(TD_WIRE_NVTX_START, own_tid(), domain, s, range);
	return range;
}

static void mark(struct td_number *domain, const struct said *s)
{
	tell(TD_WIRE_NVTX_MARK, own_tid(), domain, s, 0);
}

/* --- names --- */

static void *handle_of(const struct said *s)
{
	char text[TD_NAME_MAX + 1] = "";
	struct td_number *n;

	(void)pthread_mutex_lock(&td_teller.lock);
	n = kept(s->text ? s->text : s->wide ? narrow(s->wide, text) : text);
	(void)pthread_mutex_unlock(&td_teller.lock);
	return n;
}

static void name_category(const struct td_number *domain, uint32_t category, const struct said *s)
{
	struct td_number *name = handle_of(s);
	struct category *c;

	(void)pthread_mutex_lock(&td_teller.lock);
	c = find_category(domain, category);
	if (!c && g.ncategories < CATEGORIES) {
		c = &g.categories[g.ncategories++];
		*c = (struct category){ .domain = domain, .category = category };
	}
	if (c)
		c->name = name;
	(void)pthread_mutex_unlock(&td_teller.lock);
}

/* --- the functions that NVTX has, in the order of their numbers --- */

#define ATTRIBUTES(a) (&(const struct said){ .attributes = (a) })
#define TEXT(t) (&(const struct said){ .text = (t) })
#define WIDE(w) (&(const struct said){ .wide = (w) })

static void mark_ex(const struct td_nvtx_attributes *a)
{
	mark(NULL, ATTRIBUTES(a));
}

static void mark_a(const char *text)
{
	mark(NULL, TEXT(text));
}

static void mark_w(const wchar_t *text)
{
	mark(NULL, WIDE(text));
}

static uint64_t range_start_ex(const struct td_nvtx_attributes *a)
{
	return start(NULL, ATTRIBUTES(a));
}

static uint64_t range_start_a(const char *text)
{
	return start(NULL, TEXT(text));
}

static uint64_t range_start_w(const wchar_t *text)
{
	return start(NULL, WIDE(text));
}

static void range_end(uint64_t range)
{
	if (range)
		tell_end(range);
}

static int range_push_ex(const struct td_nvtx_attributes *a)
{
	return push(NULL, ATTRIBUTES(a));
}

static int range_push_a(const char *text)
{
	return push(NULL, TEXT(text));
}

static int range_push_w(const wchar_t *text)
{
	return push(NULL, WIDE(text));
}

static int range_pop(void)
{
	return pop(NULL);
}

static void name_category_a(uint32_t category, const char *text)
{
	name_category(NULL, category, TEXT(text));
}

static void name_category_w(uint32_t category, const wchar_t *text)
{
	name_category(NULL, category, WIDE(text));
}

static void name_thread_a(uint32_t tid, const char *text)
{
	tell(TD_WIRE_NVTX_THREAD, tid, NULL, TEXT(text), 0);
}

static void name_thread_w(uint32_t tid, const wchar_t *text)
{
	tell(TD_WIRE_NVTX_THREAD, tid, NULL, WIDE(text), 0);
}

static void domain_mark_ex(void *domain, const struct td_nvtx_attributes *a)
{
	mark(domain, ATTRIBUTES(a));
}

static uint64_t domain_range_start_ex(void *domain, const struct td_nvtx_attributes *a)
{
	return start(domain, ATTRIBUTES(a));
}

static void domain_range_end(void *domain, uint64_t range)
{
	(void)domain;
	range_end(range);
}

static int domain_range_push_ex(void *domain, const struct td_nvtx_attributes *a)
{
	return push(domain, ATTRIBUTES(a));
}

static int domain_range_pop(void *domain)
{
	return pop(domain);
}

static void domain_name_category_a(void *domain, uint32_t category, const char *text)
{
	name_category(domain, category, TEXT(text));
}

static void domain_name_category_w(void *domain, uint32_t category, const wchar_t *text)
{
	name_category(domain, category, WIDE(text));
}

/* What is registered is registered in a domain, which is no part of what it says. */
static void *domain_register_string_a(void *domain, const char *text)
{
	(void)domain;
	return handle_of(TEXT(text));
}

static void *domain_register_string_w(void *domain, const wchar_t *text)
{
	(void)domain;
	return handle_of(WIDE(text));
}

static void *domain_create_a(const char *text)
{
	return handle_of(TEXT(text));
}

static void *domain_create_w(const wchar_t *text)
{
	return handle_of(WIDE(text));
}

#define FUNCTION(module, number, function)                                                         \
	{                                                                                          \
		TD_NVTX_##module, TD_NVTX_##number, (td_nvtx_function)(function)                   \
	}
static const struct {
	int module;
	unsigned number;
	td_nvtx_function function;
} functions[] = {
	FUNCTION(CORE, MARK_EX, mark_ex),
	FUNCTION(CORE, MARK_A, mark_a),
	FUNCTION(CORE, MARK_W, mark_w),
	FUNCTION(CORE, RANGE_START_EX, range_start_ex),
	FUNCTION(CORE, RANGE_START_A, range_start_a),
	FUNCTION(CORE, RANGE_START_W, range_start_w),
	FUNCTION(CORE, RANGE_END, range_end),
	FUNCTION(CORE, RANGE_PUSH_EX, range_push_ex),
	FUNCTION(CORE, RANGE_PUSH_A, range_push_a),
	FUNCTION(CORE, RANGE_PUSH_W, range_push_w),
	FUNCTION(CORE, RANGE_POP, range_pop),
	FUNCTION(CORE, NAME_CATEGORY_A, name_category_a),
	FUNCTION(CORE, NAME_CATEGORY_W, name_category_w),
	FUNCTION(CORE, NAME_THREAD_A, name_thread_a),
	FUNCTION(CORE, NAME_THREAD_W, name_thread_w),
	FUNCTION(CORE2, DOMAIN_MARK_EX, domain_mark_ex),
	FUNCTION(CORE2, DOMAIN_RANGE_START_EX, domain_range_start_ex),
	FUNCTION(CORE2, DOMAIN_RANGE_END, domain_range_end),
	FUNCTION(CORE2, DOMAIN_RANGE_PUSH_EX, domain_range_push_ex),
	FUNCTION(CORE2, DOMAIN_RANGE_POP, domain_range_pop),
	FUNCTION(CORE2, DOMAIN_NAME_CATEGORY_A, domain_name_category_a),
	FUNCTION(CORE2, DOMAIN_NAME_CATEGORY_W, domain_name_category_w),
	FUNCTION(CORE2, DOMAIN_REGISTER_STRING_A, domain_register_string_a),
	FUNCTION(CORE2, DOMAIN_REGISTER_STRING_W, domain_register_string_w),
	FUNCTION(CORE2, DOMAIN_CREATE_A, domain_create_a),
	FUNCTION(CORE2, DOMAIN_CREATE_W, domain_create_w),
};

/* --- begin --- */

static bool attach(const struct td_nvtx_callbacks *callbacks, size_t i)
{
	td_nvtx_function **places = NULL;
	unsigned count = 0;

	if (callbacks->get_places(functions[i].module, &places, &count) != 1 || !places)
		return false;
	if (functions[i].number < count && places[functions[i].number])
		*places[functions[i].number] = functions[i].function;
	return true;
}

/* The name is NVTX's. Called for each library with ranges; functions that none is put for do
 * nothing. 0: nor do the others. */
EXPORT int InitializeInjectionNvtx2(td_nvtx_get_table *get_table);
EXPORT int InitializeInjectionNvtx2(td_nvtx_get_table *get_table)
{
	const struct td_nvtx_callbacks *callbacks = get_table(TD_NVTX_TABLE_CALLBACKS);
	const struct td_nvtx_version *version = get_table(TD_NVTX_TABLE_VERSION);
	bool some = false;

	if (!callbacks || callbacks->size < sizeof(*callbacks) || !td_teller_begin())
		return 0;
	for (size_t i = 0; i < COUNT(functions); i++)
		some |= attach(callbacks, i);
	if (version && version->size >= sizeof(*version))
		version->set_version(TD_NVTX_VERSION);
	return some;
}
