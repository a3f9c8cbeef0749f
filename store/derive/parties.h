/* SPDX-License-Identifier: MIT */
/*
 * Who works on which GPU. A party is GPUs and the processes that work on them, as a rank is: one
 * process and its GPU. What idles a GPU is looked for in its own party first.
 */
#pragma once

#include "common/cleanup.h"
#include "store/store.h"

/* Of no party, or not known: with parties from 1 on, anyone's. */
#define TD_ANYONE 0

struct td_parties;

int td_parties_new(const struct td_contents *in, struct td_parties **ret); /* 0 or -ENOMEM */
void td_parties_free(struct td_parties *p);
TD_DEFINE_CLEANUP(struct td_parties *, td_parties_free)

/* The process has worked on the GPU for so long, about. 0 or -ENOMEM. */
int td_parties_add(struct td_parties *p, uint32_t device_id, uint32_t process_id, double ns);

/* Everything has been added: finds the parties. GPUs that one process works on are one party; less
 * than a twentieth of what it does elsewhere does not count: each rank tends to leave a context on
 * the first GPU. */
void td_parties_find(struct td_parties *p);

/* How many there are, TD_ANYONE included: 1 where there is none or only one, because all there is is its. */
unsigned td_parties_count(const struct td_parties *p);

unsigned td_parties_of_gpu(const struct td_parties *p, uint32_t device_id);
unsigned td_parties_of_process(const struct td_parties *p, uint32_t process_id);
