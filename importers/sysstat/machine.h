/* SPDX-License-Identifier: MIT */
/* The machine of which the begin of a log of sysstat's tools tells: host() of the importers
 * (importers/core/import.h). */
#pragma once

#include "importers/core/import.h"

/* "Linux <release> (<host>) ...", the first line of each run of mpstat and iostat. */
bool td_sysstat_text_host(const char *head, size_t len, const char *path, char *ret, size_t size);
extern const char *const td_sysstat_text_host_marks[];
/* "nodename": "<host>" */
bool td_sysstat_json_host(const char *head, size_t len, const char *path, char *ret, size_t size);
extern const char *const td_sysstat_json_host_marks[];
