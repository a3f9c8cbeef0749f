/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/job_rank.h"
#include "common/scan.h"

#define DIGITS_MAX 6 /* more are a date or an id */

/* What starts processes within a launcher's comes before it: torchrun is started once for each
 * node, by srun or mpirun, and its processes have the number of their node in SLURM_PROCID,
 * PMIX_RANK or OMPI_COMM_WORLD_RANK; so mpirun's have in SLURM_PROCID. */
const struct td_rank_variable td_rank_variables[] = {
	{ "RANK", "WORLD_SIZE" },
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
	{ "PMIX_RANK", NULL },
	{ "PMI_RANK", "PMI_SIZE" },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
	{ NULL, NULL },
};

/* Its value as a number; -1: it is not set, or none. */
static int32_t number_of(char *const env[], const char *name)
{
	size_t len = strlen(name);
	uint64_t number;

	for (size_t i = 0; env[i]; i++) {
		struct td_scan s;

		if (strncmp(env[i], name, len) != 0 || env[i][len] != '=')
			continue;
		s = td_scan_of(env[i] + len + 1, strlen(env[i] + len + 1));
		return td_scan_u64(&s, &number) && td_scan_done(&s) && number <= INT32_MAX
			       ? (int32_t)number
			       : -1;
	}
	return -1;
}

int32_t td_rank_of_environment(char *const env[])
{
	for (const struct td_rank_variable *v = td_rank_variables; v->rank; v++) {
		int32_t rank = number_of(env, v->rank);

		if (rank >= 0 && (!v->ranks || number_of(env, v->ranks) > 1))
			return rank;
	}
	return -1;
}

/* Does the word before p, within the name from begin on, say that it is a rank on a machine only? */
static bool is_local(const char *begin, const char *p)
{
	static const char local[] = "local";

	return p - begin > (ptrdiff_t)sizeof(local) - 1 &&
	       strncasecmp(p - sizeof(local), local, sizeof(local) - 1) == 0;
}

/* The rank that begins at p, and where it ends; -1: none does. */
static int32_t rank_at(const char *p, const char *end, const char **ret_after)
{
	static const char word[] = "rank";
	struct td_scan s;
	uint64_t number;
	size_t digits;

	if ((size_t)(end - p) < sizeof(word) || strncasecmp(p, word, sizeof(word) - 1) != 0)
		return -1;
	p += sizeof(word) - 1;
	p += strchr("-_.=", *p) != NULL;
	for (digits = 0; p + digits < end && isdigit((unsigned char)p[digits]);)
		digits++;
	s = td_scan_of(p, digits);
	if (digits > DIGITS_MAX || !td_scan_u64(&s, &number) ||
	    (p + digits < end && isalnum((unsigned char)p[digits])))
		return -1;
	*ret_after = p + digits;
	return (int32_t)number;
}

/* Of one name. whole: it must be all of it. */
static int32_t rank_of_name(const char *name, const char *end, bool whole)
{
	int32_t found = -1;

	for (const char *p = name; p < end; p++) {
		const char *after = NULL;
		int32_t rank;

		if (p > name && (whole || isalnum((unsigned char)p[-1])))
			continue;
		rank = rank_at(p, end, &after);
		if (rank < 0 || (whole && after != end))
			continue;
		if (is_local(name, p) || (found >= 0 && found != rank))
			return -1;
		found = rank;
	}
	return found;
}

int32_t td_rank_of_path(const char *path)
{
	const char *end = path + strlen(path);
	bool folder = false;
	int32_t rank = -1;

	while (end > path && rank < 0) {
		const char *slash = memrchr(path, '/', (size_t)(end - path));
		const char *name = slash ? slash + 1 : path;

		rank = rank_of_name(name, end, folder);
		folder = true;
		end = slash ? slash : path;
	}
	return rank;
}
