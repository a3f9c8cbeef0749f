/* SPDX-License-Identifier: MIT */
/* Files that people have beside those that are read, and what to do about each. */
#include "common/array.h"
#include "common/scan.h"
#include "importers/core/import_core.h"

/* Of each all that is not NULL has to be so. */
static const struct {
	const char *begins; /* the text */
	const char *has; /* its head, anywhere */
	const char *ends; /* the name of the file */
	const char *advice;
} strangers[] = {
	{ .begins = "Attach", /* "Attaching 2 probes...", since 0.24 "Attached 2 probes" */
	  .has = " probe",
	  .advice = "bpftrace printed it: name the program that did, --layout FILE.bt" },
	{ .begins = "Linux ",
	  .has = " CPU)",
	  .advice = "sysstat printed it: of its programs mpstat and iostat print what is read" },
	{ .begins = "\x96\xd5",
	  .advice = "it is sar's own file: of sysstat's programs mpstat and iostat print what is "
		    "read" },
	{ .begins = "procs -",
	  .has = "memory-",
	  .advice = "vmstat printed it: mpstat -P ALL and iostat -xt print what is read" },
	{ .begins = "top - ",
	  .has = "load average",
	  .advice = "top printed it: ps aux and mpstat -P ALL print what is read" },
	{ .begins = "PERFILE2",
	  .advice = "it is perf's own file: 'perf script -i' prints what is read" },
	{ .ends = ".nsys-rep",
	  .advice =
		  "it is Nsight Systems' own file: nsys export -t sqlite makes one that is read" },
	{ .ends = ".qdrep",
	  .advice =
		  "it is Nsight Systems' own file: nsys export -t sqlite makes one that is read" },
	{ .begins = "{",
	  .has = "\"traceEvents\"",
	  .advice = "it is a trace for Chrome's viewer, but not of PyTorch's profiler" },
};

const char *td_import_stranger(const char *head, size_t len, const char *path)
{
	struct td_str text = { head, len }, name = { path, strlen(path) };

	for (size_t i = 0; i < TD_ARRAY_SIZE(strangers); i++)
		if ((!strangers[i].begins || td_str_starts(text, strangers[i].begins)) &&
		    (!strangers[i].has || td_str_find(text, strangers[i].has)) &&
		    (!strangers[i].ends || td_str_ends(name, strangers[i].ends)))
			return strangers[i].advice;
	return NULL;
}
