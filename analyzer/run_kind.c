/* SPDX-License-Identifier: MIT */
#include <ctype.h>

#include "analyzer/run_kind.h"
#include "common/cleanup.h"
#include "schema/series.h"
#include "schema/table.h"

#define LONG_NUMBER 5 /* digits: of job numbers, ports and dates */

/* Who was started first of those that use the GPU, else of all; the logs and the phases, where no
 * command line is known: the view of phases says what takes ten times as long as their names. */
static const char kind_sql[] =
	"WITH first AS MATERIALIZED (SELECT command_line FROM process WHERE command_line IS NOT "
	"NULL ORDER BY role IS NOT 'gpu-worker', start_ns, id LIMIT 1) "
	"SELECT (SELECT start_ns FROM run), (SELECT command_line FROM first), CASE WHEN NOT EXISTS "
	"(SELECT 1 FROM first) THEN 'logs of ' || coalesce((SELECT group_concat(importer, ', ') "
	"FROM (SELECT DISTINCT importer FROM source WHERE importer IS NOT NULL ORDER BY "
	"importer)), "
	"'nothing') || coalesce(', phases ' || (SELECT group_concat(text, ', ') FROM (SELECT "
	"DISTINCT n.text FROM span AS s JOIN string AS n ON n.id = s.name_id WHERE s.kind_id = "
	"(SELECT id FROM string WHERE text = 'phase') ORDER BY n.text)), '') END";

static bool is_digit(char c)
{
	return isdigit((unsigned char)c);
}

/* A word of the command line: in a path all numbers change, elsewhere long ones. */
static void add_word(struct td_strbuf *b, const char *word, size_t len)
{
	bool is_path = memchr(word, '/', len);

	for (size_t i = 0; i < len;) {
		size_t digits = 0;

		while (i + digits < len && is_digit(word[i + digits]))
			digits++;
		if (digits >= LONG_NUMBER || (digits && is_path))
			td_strbuf_adds(b, "{}");
		else
			td_strbuf_add(b, word + i, digits ? digits : 1);
		i += digits ? digits : 1;
	}
}

void td_run_kind_template(struct td_strbuf *b, const char *command_line)
{
	while (*command_line) {
		size_t len = strcspn(command_line, " ");

		add_word(b, command_line, len);
		command_line += len;
		if (*command_line)
			td_strbuf_addc(b, *command_line++);
	}
}

static int set_kind(sqlite3_stmt *s, struct td_run_kind *ret)
{
	_cleanup_(td_strbuf_done) struct td_strbuf kind = TD_STRBUF_INIT;

	if (sqlite3_column_text(s, 1))
		td_run_kind_template(&kind, (const char *)sqlite3_column_text(s, 1));
	else
		td_strbuf_adds(&kind, (const char *)sqlite3_column_text(s, 2));
	if (td_strbuf_error(&kind) < 0)
		return -ENOMEM;
	ret->kind = strdup(td_strbuf_str(&kind));
	ret->start_ns = td_db_known(s, 0);
	return ret->kind ? 0 : -ENOMEM;
}

int td_run_kind(sqlite3 *db, const char *path, struct td_run_kind *ret, struct td_err *err)
{
	_cleanup_(td_db_put_backp) sqlite3_stmt *s = NULL;
	int rc = td_db_prepare(db, kind_sql, &s);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	return rc == SQLITE_ROW
		       ? set_kind(s, ret)
		       : td_db_error(db, rc, err, "cannot see what kind of run '%s' is", path);
}

void td_run_kind_done(struct td_run_kind *k)
{
	free(k->kind);
}
