/* SPDX-License-Identifier: MIT */
/*
 * "03/04/2024" is 4 March or 3 April. Where neither the file nor the user tells, the other sources of the run
 * do: the reading that lies in their time is the right one, as the two are four weeks apart at least.
 */
#pragma once

#include "importers/align/align.h"
#include "importers/align/find.h"

/* Decides for each source of which the date can be read two ways: sets its date_basis and date_shift_ns. dated:
 * the time ranges of those whose date is known, in UTC or local time. Where nothing decides, the source stays
 * open and gets an issue that names both dates and --date. */
void td_align_dates(struct td_store *st, const struct td_clock_options *options,
		    const struct td_range *dated, size_t n);

/* "local time, its dates read as day/month, as the other sources show": how the source prints its times. */
const char *td_align_date_words(const struct td_source *s, char *buf, size_t size);
