/* SPDX-License-Identifier: MIT */
/* Shared by load.c, which asks for stacks, and basis.c, which asks how far they can be trusted. */
#pragma once

#include "analyzer/flame/flame.h"
#include "common/strbuf.h"

/* In front of a statement: the stretches of time, and the processes, that are asked for. Its first
 * parameters are td_flame_bind()'s. */
#define TD_FLAME_PERIOD                                                                            \
	"WITH period AS MATERIALIZED (SELECT max(i.start_ns, coalesce(?1, i.start_ns)) AS "        \
	"start_ns, min(i.end_ns, coalesce(?2, i.end_ns)) AS end_ns FROM (SELECT start_ns, "        \
	"end_ns FROM phase_interval WHERE label = ?3 COLLATE NOCASE UNION ALL "                    \
	"SELECT -9223372036854775807, 9223372036854775807 WHERE ?3 IS NULL) AS i), "               \
	"who AS MATERIALIZED (SELECT id, coalesce(name, '?') || ' (' || pid || ')' || "            \
	"coalesce(' on ' || host, '') AS name FROM process WHERE (?4 IS NULL OR pid = ?4) "        \
	"AND (?5 IS NULL OR name = ?5 OR role = ?5)) "

/* Behind a table a, of rows that count where they begin. */
#define TD_FLAME_ASKED                                                                             \
	"LEFT JOIN who AS w ON w.id = a.process_id "                                               \
	"WHERE (?4 IS NULL AND ?5 IS NULL OR w.id IS NOT NULL) AND EXISTS (SELECT 1 FROM period "  \
	"AS p WHERE a.start_ns >= p.start_ns AND a.start_ns < p.end_ns) "

#define TD_FLAME_OF_KIND(kind) "kind_id = (SELECT id FROM string WHERE text = '" kind "') "

/* Both 0 or -errno with a message; what is prepared is the caller's. ?1 to ?6: from, to, phase, pid, process, count. */
int td_flame_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct td_err *err);
int td_flame_bind(sqlite3_stmt *s, const struct td_flame_request *req, struct td_err *err);

/* How far a flame that is finished can be trusted: lines go to notes, and what its sources lack to
 * f->damage. 0 or -errno. */
int td_flame_basis(sqlite3 *db, const struct td_flame_request *req, struct td_flame *f,
		   struct td_strbuf *notes, struct td_err *err);
