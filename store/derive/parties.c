/* SPDX-License-Identifier: MIT */
#include "store/derive/parties.h"
#include "common/array.h"

#define STRAY_SHARE 0.05

struct link {
	uint32_t device_id, process_id;
	double ns;
};

struct td_parties {
	const struct td_contents *in; /* borrowed */
	struct link *links; /* owned; few: one for each process and each GPU of its */
	size_t nlinks, cap;
	size_t last; /* link that was added to last: mostly it is the next one, too */
	uint32_t *
		joined; /* owned; by device id: a GPU of the same party, itself in the end; 0: of none */
	uint32_t *gpus; /* owned; by process id: one that it works on; 0: none */
	unsigned *numbers; /* owned; by device id that is joined to itself */
	unsigned count;
};

int td_parties_new(const struct td_contents *in, struct td_parties **ret)
{
	_cleanup_(td_parties_freep) struct td_parties *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->in = in;
	p->count = 1;
	p->joined = calloc(in->ndevices + 1, sizeof(*p->joined));
	p->numbers = calloc(in->ndevices + 1, sizeof(*p->numbers));
	p->gpus = calloc(in->nprocesses + 1, sizeof(*p->gpus));
	if (!p->joined || !p->numbers || !p->gpus)
		return -ENOMEM;
	*ret = TAKE_PTR(p);
	return 0;
}

void td_parties_free(struct td_parties *p)
{
	if (!p)
		return;
	free(p->links);
	free(p->joined);
	free(p->numbers);
	free(p->gpus);
	free(p);
}

static bool is_of(const struct link *l, uint32_t device_id, uint32_t process_id)
{
	return l->device_id == device_id && l->process_id == process_id;
}

int td_parties_add(struct td_parties *p, uint32_t device_id, uint32_t process_id, double ns)
{
	int r;

	if (!device_id || !process_id || !(ns > 0))
		return 0;
	if (p->last >= p->nlinks || !is_of(&p->links[p->last], device_id, process_id))
		for (p->last = 0; p->last < p->nlinks; p->last++)
			if (is_of(&p->links[p->last], device_id, process_id))
				break;
	if (p->last == p->nlinks) {
		r = td_grow(&p->links, &p->cap, p->nlinks);
		if (r < 0)
			return r;
		p->links[p->nlinks++] = (struct link){ device_id, process_id, 0 };
	}
	p->links[p->last].ns += ns;
	return 0;
}

/* The GPU that stands for the party. */
static uint32_t head_of(const struct td_parties *p, uint32_t device_id)
{
	while (p->joined[device_id] != device_id)
		device_id = p->joined[device_id];
	return device_id;
}

static double most_of(const struct td_parties *p, uint32_t process_id)
{
	double most = 0;

	for (size_t i = 0; i < p->nlinks; i++)
		if (p->links[i].process_id == process_id)
			most = TD_MAX(most, p->links[i].ns);
	return most;
}

static void join(struct td_parties *p, const struct link *l)
{
	uint32_t *gpu = &p->gpus[l->process_id];

	if (!p->joined[l->device_id])
		p->joined[l->device_id] = l->device_id;
	if (*gpu)
		p->joined[head_of(p, l->device_id)] = head_of(p, *gpu);
	*gpu = l->device_id;
}

void td_parties_find(struct td_parties *p)
{
	unsigned n = 0;

	for (size_t i = 0; i < p->nlinks; i++)
		if (p->links[i].ns >= STRAY_SHARE * most_of(p, p->links[i].process_id))
			join(p, &p->links[i]);
	for (size_t d = 1; d <= p->in->ndevices; d++)
		if (p->joined[d] == d)
			p->numbers[d] = ++n;
	p->count = n < 2 ? 1 : n + 1;
}

unsigned td_parties_count(const struct td_parties *p)
{
	return p->count;
}

unsigned td_parties_of_gpu(const struct td_parties *p, uint32_t device_id)
{
	return p->count < 2 || !p->joined[device_id] ? TD_ANYONE
						     : p->numbers[head_of(p, device_id)];
}

unsigned td_parties_of_process(const struct td_parties *p, uint32_t process_id)
{
	return p->gpus[process_id] ? td_parties_of_gpu(p, p->gpus[process_id]) : TD_ANYONE;
}
