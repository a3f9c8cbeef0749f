/* SPDX-License-Identifier: MIT */
#include <sys/utsname.h>
#include <unistd.h>

#include "collector/output_name.h"
#include "common/cleanup.h"
#include "common/job_rank.h"
#include "common/scan.h"
#include "common/strbuf.h"

static int put_host(struct td_strbuf *b, struct td_err *err)
{
	struct utsname u;

	if (uname(&u) < 0)
		return td_err_errno(err, -errno, "%%h: cannot find out the name of the host");
	td_strbuf_addf(b, "%.*s", (int)strcspn(u.nodename, "./"), u.nodename);
	return 0;
}

/* Of a job of several; of one that does not say of how many, what is set. */
static int put_rank(struct td_strbuf *b, struct td_err *err)
{
	int32_t of_job = td_rank_of_environment(environ);

	if (of_job >= 0) {
		td_strbuf_addf(b, "%d", of_job);
		return 0;
	}
	for (const struct td_rank_variable *v = td_rank_variables; v->rank; v++) {
		const char *value = getenv(v->rank);
		struct td_scan s = td_scan_of(value ? value : "", value ? strlen(value) : 0);
		uint64_t rank;

		if (!value)
			continue;
		if (!td_scan_u64(&s, &rank) || !td_scan_done(&s))
			return td_err_set(err, -EINVAL, "%%r: %s is '%s', which is no number",
					  v->rank, value);
		td_strbuf_addf(b, "%ju", (uintmax_t)rank);
		return 0;
	}
	return td_err_set(
		err, -EINVAL,
		"%%r: the environment tells no rank: RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK, "
		"PMI_RANK and SLURM_PROCID are not set (sudo drops them: --preserve-env=...)");
}

static int put_process(struct td_strbuf *b, struct td_err *err)
{
	(void)err;
	td_strbuf_addf(b, "%d", (int)getpid());
	return 0;
}

static int put_percent(struct td_strbuf *b, struct td_err *err)
{
	(void)err;
	td_strbuf_addc(b, '%');
	return 0;
}

static const struct {
	char letter;
	int (*put)(struct td_strbuf *b, struct td_err *err);
} patterns[] = { { 'h', put_host }, { 'r', put_rank }, { 'p', put_process }, { '%', put_percent } };

static int put_pattern(char letter, struct td_strbuf *b, struct td_err *err)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(patterns); i++)
		if (letter == patterns[i].letter)
			return patterns[i].put(b, err);
	return td_err_set(
		err, -EINVAL,
		"-o: what begins with a '%%' is %%h (host), %%r (rank), %%p (process) or %%%%");
}

int td_output_name(const char *name, char **ret, struct td_err *err)
{
	_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
	int r = 0;

	for (const char *p = name; r == 0 && *p; p++) {
		if (*p != '%')
			td_strbuf_addc(&b, *p);
		else
			r = put_pattern(*++p, &b, err);
		if (!*p)
			break;
	}
	if (r == 0)
		r = td_strbuf_error(&b);
	if (r < 0)
		return r;
	*ret = strdup(td_strbuf_str(&b));
	return *ret ? 0 : -ENOMEM;
}
