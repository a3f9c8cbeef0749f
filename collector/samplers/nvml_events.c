/* SPDX-License-Identifier: MIT */
/* Errors that the driver tells as events (Xid), and what a GPU is a part of: MIG and vGPU. */
#include "collector/samplers/nvml_private.h"

#define EVENTS_AT_ONCE 64
#define INSTANCES_MAX 8

void td_nvml_watch_events(struct td_nvml *n)
{
	if (TD_NVML_CALL(n, events_new, &n->events))
		n->events = NULL;
	for (unsigned int i = 0; i < n->ngpus; i++) {
		struct td_nvml_gpu *g = &n->gpus[i];

		if (g->device && (!n->events || TD_NVML_CALL(n, events_add, g->device,
							     TD_NVML_EVENT_XID, n->events)))
			g->missing |= 1u << TD_NVML_XID;
	}
}

void td_nvml_forget_events(struct td_nvml *n)
{
	if (n->events)
		(void)TD_NVML_CALL(n, events_free, n->events);
	n->events = NULL;
}

static struct td_nvml_gpu *gpu_of(const struct td_nvml *n, td_nvml_device device)
{
	for (unsigned int i = 0; i < n->ngpus; i++)
		if (n->gpus[i].device == device)
			return &n->gpus[i];
	return NULL;
}

int td_nvml_read_events(struct td_nvml *n, struct td_nvml_now now, struct td_nvml_values *values)
{
	struct td_nvml_event e = { 0 };
	int r = 0;

	for (int i = 0; r == 0 && n->events && i < EVENTS_AT_ONCE &&
			TD_NVML_CALL(n, events_wait, n->events, &e, 0) == TD_NVML_OK;
	     i++) {
		struct td_nvml_reading rd = { n, gpu_of(n, e.device), now, values };

		if (rd.g && e.type == TD_NVML_EVENT_XID)
			r = td_nvml_put(&rd, TD_NVML_XID, 0, now.boot_ns, 0, (double)e.data);
	}
	return r;
}

/* " (NAME, NAME)", as many as there are; "" if they cannot be had. */
static void name_instances(const struct td_nvml *n, td_nvml_device d, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < INSTANCES_MAX; i++) {
		td_nvml_device instance;
		char name[96];

		if (TD_NVML_CALL(n, mig_device, d, i, &instance) ||
		    TD_NVML_CALL(n, name, instance, name, sizeof(name)))
			continue;
		len += (size_t)snprintf(text + len, size - len, "%s%s", len ? ", " : " (", name);
		if (len >= size)
			return;
	}
	if (len)
		(void)snprintf(text + len, size - len, ")");
}

int td_nvml_caveat(const struct td_nvml *n, unsigned gpu, struct td_err *ret)
{
	td_nvml_device d = n->gpus[gpu].device;
	unsigned int mig = 0, later;
	char instances[512];
	int mode = 0;

	if (!d)
		return 0;
	if (TD_NVML_CALL(n, mig_mode, d, &mig, &later) == TD_NVML_OK && mig) {
		name_instances(n, d, instances, sizeof(instances));
		(void)td_err_set(ret, 0,
				 "GPU %u is divided by MIG%s: power, clocks and memory are those "
				 "of the whole, "
				 "how busy an instance is the driver does not tell",
				 gpu, instances);
		return 1;
	}
	if (TD_NVML_CALL(n, virtual_mode, d, &mode) || mode < TD_NVML_VIRTUAL_GUEST)
		return 0;
	(void)td_err_set(
		ret, 0,
		mode == TD_NVML_VIRTUAL_GUEST
			? "GPU %u is a virtual one (vGPU): others may use the same hardware, whose "
			  "power, clocks and errors are not told"
			: "GPU %u is shared by virtual machines (vGPU): what they do on it counts, "
			  "too",
		gpu);
	return 1;
}
