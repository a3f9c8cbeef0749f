/* SPDX-License-Identifier: MIT */
/*
 * What GPUs can wait for, as each party of GPUs and processes sees it (table gpu_party): what its
 * own processes are at, and those that may be anyone's. GPUs of no party wait for whatever anyone
 * is at.
 */
#include "analyzer/timeline/timeline_private.h"

#define ANYONE 0
#define PARTIES_MAX "1024" /* whoever made the file may have written more than there can be */

int td_filling_causes_begin(struct td_filling *f, struct td_err *err)
{
	int r = td_key_map_load(
		f->db,
		"SELECT process_id, party FROM main.gpu_party"
		" WHERE process_id IS NOT NULL AND party BETWEEN 1 AND " PARTIES_MAX,
		&f->process_parties, NULL, err);

	if (r == 0)
		r = td_key_map_load(
			f->db,
			"SELECT device_id, party FROM main.gpu_party"
			" WHERE device_id IS NOT NULL AND party BETWEEN 1 AND " PARTIES_MAX,
			&f->gpu_parties, NULL, err);
	if (r < 0)
		return r;
	f->nparties = 1;
	for (size_t id = 0; id < f->gpu_parties.n; id++)
		f->nparties = TD_MAX(f->nparties, (size_t)f->gpu_parties.keys[id] + 1);
	f->causes = calloc(f->nparties, sizeof(*f->causes));
	return f->causes ? 0 : -ENOMEM;
}

void td_filling_causes_done(struct td_filling *f)
{
	for (size_t i = 0; f->causes && i < f->nparties; i++)
		for (size_t k = 0; k < TD_NIDLE_CAUSES; k++)
			td_during_done(&f->causes[i][k]);
	free(f->causes);
	td_key_map_done(&f->process_parties);
	td_key_map_done(&f->gpu_parties);
}

void td_filling_causes_forget(struct td_filling *f, enum td_idle_cause from)
{
	for (size_t i = 0; i < f->nparties; i++)
		for (size_t k = from; k < TD_NIDLE_CAUSES; k++)
			f->causes[i][k].n = 0;
}

int td_filling_causes_add(struct td_filling *f, enum td_idle_cause cause, int64_t process_id,
			  int64_t start_ns, int64_t end_ns)
{
	size_t party = td_key_map_get(&f->process_parties, process_id);
	int r = td_cover_add(&f->causes[ANYONE][cause], start_ns, end_ns);

	for (size_t i = ANYONE + 1; i < f->nparties && r == 0; i++)
		if (party == ANYONE || party == i)
			r = td_cover_add(&f->causes[i][cause], start_ns, end_ns);
	return r;
}

const struct td_during *td_filling_causes_of_gpu(const struct td_filling *f, int64_t device_id)
{
	return f->causes[td_key_map_get(&f->gpu_parties, device_id)];
}
