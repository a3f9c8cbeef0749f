/* SPDX-License-Identifier: MIT */
/*
 * bpftrace's maps and bcc's histograms, as both print them as text:
 *
 *     @[vfs_read]: 1113                                   one value per key
 *     @s: count 3601, average 4665, total 16801773        stats(): three values
 *     @b[sh]:                                             hist() or lhist(), title and buckets:
 *     [512, 1K)              6 |@@@@@@@|                  low, high, count; K M G T are powers of 1024
 *     [0]  (..., 0)  [4K, ...)                            one value; open ends
 *     hh:mm:ss.ms  |_________________|                    tseries(): one value per time
 *     10:00:00.500 |       *         | 9
 *
 *          usecs               : count     distribution   bcc, the title before it: "disk = 'sda'"
 *              2 -> 3          : 12       |******    |
 *
 * All become summaries: name is the map, key its key (and the time of a tseries), unit 'average' or
 * 'total' for stats, low and high the bounds. Values of an entry that follows a time of day, as scripts
 * print them per interval, are samples instead, on tracks named like the entry.
 */
#pragma once

#include "common/strbuf.h"
#include "importers/core/import.h"

struct td_maps {
	uint32_t name, key; /* strings: of the histogram whose buckets come next; name 0: none */
	struct td_strbuf long_key; /* a key that spans lines: a stack */
	bool in_key;
	bool is_tseries;
	bool noted_text;
	uint32_t bcc_key; /* string: "disk = 'sda'" */
};

enum td_maps_kind {
	TD_MAPS_NOT, /* not a line of a map */
	TD_MAPS_ROW, /* stored */
	TD_MAPS_TITLE, /* carries no value: skip it */
	TD_MAPS_TEXT, /* the value is a text: there is no place for it */
	TD_MAPS_VALUE, /* an entry with one value, in ret: it is the caller's to store */
};

struct td_maps_value {
	struct td_str label; /* "@c[3012, ls]"; part of the line or of struct td_maps */
	struct td_str name, key; /* "@c", "3012, ls"; key.p NULL: none */
	double value;
};

void td_maps_done(struct td_maps *m);

/* A td_maps_kind. */
int td_maps_line(struct td_import *imp, struct td_maps *m, struct td_str line,
		 struct td_maps_value *ret);

/* Keeps a value as a summary; key.p and unit may be NULL, bounds NaN. */
void td_maps_summary(struct td_import *imp, struct td_str name, struct td_str key, const char *unit,
		     double low, double high, double value);

/* For sniffing: is it, to the letter, the title of a bcc histogram or a tseries, a bucket, an entry? */
bool td_maps_is_title(struct td_str line);
bool td_maps_is_bucket(struct td_str line);
bool td_maps_is_entry(struct td_str line);
