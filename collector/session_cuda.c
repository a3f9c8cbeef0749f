/* SPDX-License-Identifier: MIT */
/* Work on GPUs, told by the library in the command's processes (--cuda). */
#include <dirent.h>
#include <limits.h>

#include "collector/samplers/proc.h"
#include "collector/session.h"
#include "common/log.h"
#include "common/scan.h"
#include "common/units.h"

int td_session_cuda_start(struct td_session *s, char *const vars[], char *const **ret,
			  struct td_err *err)
{
	const struct td_user *user = s->args->user ? &s->runner : &s->invoker;
	const struct td_cuda_choice choice = { s->args->cupti, s->args->cuda_graphs };
	int r;

	*ret = NULL;
	if (!s->args->cuda)
		return 0;
	r = td_cuda_rings_new(user->uid, user->gid, &s->cuda, err);
	if (r < 0)
		return r;
	r = td_cuda_rings_environment(s->cuda, vars, &choice, ret, err);
	if (r == 0 && *td_cuda_rings_other_nvtx(vars))
		td_log_warning("NVTX_INJECTION64_PATH is set already, to '%s', and is kept: "
			       "--cuda records no NVTX ranges",
			       td_cuda_rings_other_nvtx(vars));
	if (r != -EEXIST)
		return r;
	td_log_warning("%s", err->msg);
	td_cuda_rings_free(TAKE_PTR(s->cuda));
	err->msg[0] = '\0';
	return 0;
}

/* What the library says goes to the user, too. */
static int take(void *arg, const void *records, size_t size)
{
	for (const char *p = records, *end = p + size; p < end;
	     p += ((const struct td_wire_head *)p)->size) {
		const struct td_wire_note *n = (const struct td_wire_note *)p;

		if (n->head.kind == TD_WIRE_NOTE && n->head.size >= sizeof(*n) &&
		    (size_t)n->kind_len + n->text_len <= n->head.size - sizeof(*n))
			td_log_warning("--cuda: %.*s", (int)n->text_len, n->text + n->kind_len);
	}
	return td_session_sink(arg, records, size);
}

ssize_t td_session_cuda_drain(struct td_session *s)
{
	return s->cuda ? td_cuda_rings_drain(s->cuda, take, s) : 0;
}

int td_session_cuda_loss(struct td_session *s)
{
	return s->cuda ? td_cuda_rings_loss(s->cuda, td_session_sink, s) : 0;
}

static int say_spoilt(struct td_session *s)
{
	size_t n = td_cuda_rings_spoilt(s->cuda);

	if (n == 0)
		return 0;
	td_log_warning("--cuda: %zu of the command's processes wrote over what they had to tell: "
		       "the rest of it is missing",
		       n);
	return td_emit_note(&s->emit, "cuda-spoilt",
			    "%zu processes wrote over what they had to tell of CUDA", n);
}

/* Of nvidia-cuda-mps-control and nvidia-cuda-mps-server, as the kernel cuts their names. */
static bool mps_runs(void)
{
	DIR *dir = opendir("/proc");
	const struct dirent *e;
	bool runs = false;
	struct td_proc p;
	uint64_t pid;

	while (dir && !runs && (e = readdir(dir))) {
		struct td_scan name = td_scan_of(e->d_name, strlen(e->d_name));

		runs = td_scan_u64(&name, &pid) && td_scan_done(&name) && pid <= INT_MAX &&
		       td_proc_read((pid_t)pid, &p) == 0 && strcmp(p.comm, "nvidia-cuda-mps") == 0;
	}
	if (dir)
		(void)closedir(dir);
	return runs;
}

/* Through MPS kernels of several processes run at a time, by the contexts of its server. */
static int say_mps(struct td_session *s)
{
	static const char text[] =
		"GPUs are shared through MPS: kernels of several processes run at a time, and what "
		"the driver tells of the GPU and of nvidia-cuda-mps-server is that of all of them";

	if ((!s->args->cuda && !s->args->gpu) || !mps_runs())
		return 0;
	td_log_warning("%s", text);
	return td_emit_note(&s->emit, "gpu-mps", "%s", text);
}

/* A container may have another /dev/shm than we have; what is in it then cannot tell so. */
static int say_unused(struct td_session *s)
{
	td_log_warning(
		"--cuda: no process of the command has used CUDA, or none that did sees '%s' "
		"(a container with folders of its own)",
		td_cuda_rings_dir(s->cuda));
	return td_emit_note(&s->emit, "cuda-not-used",
			    "no process of the command that sees '%s' has used CUDA",
			    td_cuda_rings_dir(s->cuda));
}

int td_session_cuda_finish(struct td_session *s)
{
	char count[TD_UNITS_BUF];
	uint64_t n;
	int r = say_mps(s);

	if (r < 0 || !s->cuda)
		return r;
	r = say_spoilt(s);
	if (r < 0)
		return r;
	n = td_cuda_rings_short_calls(s->cuda);
	if (!td_cuda_rings_processes(s->cuda))
		return say_unused(s);
	td_format_count(count, sizeof(count), (int64_t)n);
	return n ? td_emit_note(&s->emit, "short-calls-left-out",
				"%s calls of the CUDA APIs that took less than 1 us were not "
				"recorded",
				count)
		 : 0;
}
