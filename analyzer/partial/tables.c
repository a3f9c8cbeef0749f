/* SPDX-License-Identifier: MIT */
#include "analyzer/partial/tables.h"

#define ID TD_CELL_KEY_ID
#define K TD_CELL_KEY_TEXT
#define KI TD_CELL_KEY_INT
#define TID TD_CELL_ID
#define T TD_CELL_TEXT
#define SUM TD_CELL_SUM
#define LOW TD_CELL_MIN
#define HIGH TD_CELL_MAX

/* Parameters of all: :run and :db the identities of the run and of the database, :name what people call the database,
 * :host its machine, :since and :until the times that are asked for, or NULL. */

/* Where several looked and one is worse, all of it is. */
#define BASIS_NUMBER                                                                               \
	"CASE g.basis WHEN 'exact' THEN 0 WHEN 'bounds' THEN 1 WHEN 'estimate' THEN 2 ELSE 3 END"
#define BASIS_NAME(p)                                                                              \
	"CASE " p                                                                                  \
	" WHEN 0 THEN 'exact' WHEN 1 THEN 'bounds' WHEN 2 THEN 'estimate' ELSE 'conflict' END"

/* Ranges that the clocks of a database do not allow are not taken. */
#define CLOCKS_HOLD                                                                                \
	" g.start_ns IS NULL AND g.run_number IS NULL AND p.wall_ns >="                            \
	" (SELECT coalesce(max(error_ns), 0) FROM clock_doubt WHERE kind <> against)"

const struct td_partial_table_info td_partial_tables[TD_PARTIAL_NTABLES] = {
	[TD_PARTIAL_DATABASE] = {
		.name = "database",
		.select = "SELECT :db, :name, :has,"
			  " (SELECT count(*) FROM gpu_phase AS g WHERE g.start_ns IS NULL AND g.run_number IS NULL AND g.wall_ns <"
			  " (SELECT coalesce(max(error_ns), 0) FROM clock_doubt WHERE kind <> against)), :kind, :begin",
		.columns = { { "id", K }, { "name", T }, { "has_data", HIGH }, { "doubtful_gpu_rows", HIGH }, { "kind", T }, { "start_ns", LOW } },
		.ncolumns = 6,
		.nkeys = 1,
	},
	[TD_PARTIAL_FAILED] = {
		.name = "failed",
		.columns = { { "name", K }, { "why", T } },
		.ncolumns = 2,
		.nkeys = 1,
	},
	[TD_PARTIAL_SOURCE] = {
		.name = "source",
		.select = "SELECT :db || ':' || id, :name || '/' || path, importer, layout, state, detail, size_bytes, hash, tool,"
			  " tool_version, coalesce(host, :host), host_basis, lines, rows, skipped, issues, repaired, lost_events, clock"
			  " FROM source",
		.answers = "source(path,importer,layout,state,detail,size_bytes,hash,tool,tool_version,host,host_basis,lines,rows,"
			   "skipped,issues,repaired,lost_events,clock)",
		.insert = "INSERT INTO source (id, path, importer, layout, state, detail, size_bytes, hash, tool, tool_version, host,"
			  " host_basis, lines, rows, skipped, issues, repaired, lost_events, clock)"
			  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
		.columns = { { "id", ID }, { "path", T }, { "importer", T }, { "layout", T }, { "state", T }, { "detail", T },
			     { "size_bytes", HIGH }, { "hash", T }, { "tool", T }, { "tool_version", T }, { "host", T },
			     { "host_basis", T }, { "lines", HIGH }, { "rows", HIGH }, { "skipped", HIGH }, { "issues", HIGH },
			     { "repaired", HIGH }, { "lost_events", HIGH }, { "clock", T } },
		.ncolumns = 19,
		.nkeys = 1,
	},
	[TD_PARTIAL_ISSUE_COUNT] = {
		.name = "issue_count",
		.select = "SELECT :db || ':' || source_id, kind, effect, count, first_line FROM issue_count",
		.answers = "issue_count(source_id,kind,effect,count,first_line)",
		.insert = "INSERT INTO issue_count (source_id, kind, effect, count, first_line) VALUES (?1, ?2, ?3, ?4, ?5)",
		.columns = { { "source", ID }, { "kind", K }, { "effect", T }, { "count", HIGH }, { "first_line", HIGH } },
		.ncolumns = 5,
		.nkeys = 2,
	},
	[TD_PARTIAL_OP] = {
		.name = "op",
		.select = "SELECT id, layer || ':' || name, name, layer, verb, kind FROM op",
		.answers = "op(id,name,layer,verb,kind)",
		.insert = "INSERT INTO op (id, name, layer, verb, kind) VALUES (?1, ?2, ?3, ?4, ?5)",
		.columns = { { "id", ID }, { "name", T }, { "layer", T }, { "verb", T }, { "kind", T } },
		.ncolumns = 5,
		.nkeys = 1,
		.has_id = 1,
	},
	[TD_PARTIAL_PROCESS] = {
		.name = "process",
		.select = "SELECT id, :run || ':' || coalesce(host, '') || ':' || pid || '.' || lifetime, pid, name, command_line, user,"
			  " parent_pid, role, role_basis, start_ns, end_ns, exit_status, lifetime, cgroup, host, coalesce(host, :host),"
			  " observed_ns, user_ns, system_ns, voluntary_switches, involuntary_switches, max_rss_bytes FROM process",
		.answers = "process(id,pid,name,command_line,user,parent_pid,role,role_basis,start_ns,end_ns,exit_status,lifetime,cgroup,"
			   "host,observed_ns,user_ns,system_ns,voluntary_switches,involuntary_switches,max_rss_bytes)",
		/* where there are several machines it matters which one it was on */
		.insert = "INSERT INTO process (id, pid, name, command_line, user, parent_pid, role, role_basis, start_ns, end_ns,"
			  " exit_status, lifetime, cgroup, host, observed_ns, user_ns, system_ns, voluntary_switches,"
			  " involuntary_switches, max_rss_bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
			  " CASE WHEN ?100 THEN ?15 ELSE ?14 END, ?16, ?17, ?18, ?19, ?20, ?21)",
		.columns = { { "id", ID }, { "pid", HIGH }, { "name", T }, { "command_line", T }, { "user", T }, { "parent_pid", HIGH },
			     { "role", T }, { "role_basis", T }, { "start_ns", LOW }, { "end_ns", HIGH }, { "exit_status", HIGH },
			     { "lifetime", HIGH }, { "cgroup", T }, { "host", T }, { "machine", T }, { "observed_ns", HIGH },
			     { "user_ns", HIGH }, { "system_ns", HIGH }, { "voluntary_switches", HIGH },
			     { "involuntary_switches", HIGH }, { "max_rss_bytes", HIGH } },
		.ncolumns = 21,
		.nkeys = 1,
		.has_id = 1,
	},
	[TD_PARTIAL_THREAD] = {
		.name = "thread",
		.select = "SELECT :run || ':' || coalesce(p.host, '') || ':' || p.pid || '.' || p.lifetime, t.tid, t.id, t.name, t.observed_ns,"
			  " t.user_ns, t.system_ns, t.voluntary_switches, t.involuntary_switches"
			  " FROM thread AS t JOIN process AS p ON p.id = t.process_id",
		.answers = "thread(id,process_id,tid,name,observed_ns,user_ns,system_ns,voluntary_switches,involuntary_switches)",
		.insert = "INSERT INTO thread (process_id, tid, name, observed_ns, user_ns, system_ns, voluntary_switches,"
			  " involuntary_switches) VALUES (?1, ?2, ?4, ?5, ?6, ?7, ?8, ?9)",
		.columns = { { "process", ID }, { "tid", KI }, { "number", KI }, { "name", T }, { "observed_ns", HIGH },
			     { "user_ns", HIGH }, { "system_ns", HIGH }, { "voluntary_switches", HIGH },
			     { "involuntary_switches", HIGH } },
		.ncolumns = 9,
		.nkeys = 3,
	},
	[TD_PARTIAL_FILE] = {
		.name = "file",
		.answers = "file(id,path,name,path_basis,class,class_known,directory_id,template_id,truncated,root) string(id,text)"
			   " file_kind(template_id,class) classed_file(id,class)",
		.insert = "INSERT INTO file (id, path, name, path_basis, class, class_known, directory_id, template_id, truncated, root)"
			  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
		.columns = { { "id", ID }, { "path", T }, { "name", T }, { "path_basis", T }, { "class", T }, { "class_known", HIGH },
			     { "directory", TID }, { "template", TID }, { "truncated", HIGH }, { "root", T } },
		.ncolumns = 10,
		.nkeys = 1,
		.has_id = 1,
	},
	/* Classes of the files of a template and of a directory, where groups are of these and not of files. */
	[TD_PARTIAL_FILE_KIND] = {
		.name = "file_kind",
		.select = "SELECT DISTINCT f.class || ':' || coalesce(d.text, '') || ':' || t.text, f.class, d.text, t.text FROM file AS f"
			  " JOIN string AS t ON t.id = f.template_id LEFT JOIN string AS d ON d.id = f.directory_id",
		.insert = "INSERT INTO file (name, class, class_known, directory_id, template_id, truncated) VALUES ('', ?2, 0, ?3, ?4, 0)",
		.columns = { { "id", K }, { "class", T }, { "directory", TID }, { "template", TID } },
		.ncolumns = 4,
		.nkeys = 1,
	},
	/* Times of different machines are not of one axis: a partial lays what is asked for of each
	 * database end to end. */
	[TD_PARTIAL_RUN] = {
		.name = "run",
		.select = "SELECT :run, max(start_ns, coalesce(:since, start_ns)), min(end_ns, coalesce(:until, end_ns)) FROM run"
			  " WHERE start_ns IS NOT NULL",
		.answers = "run(start_ns,end_ns)",
		.columns = { { "id", K }, { "start_ns", LOW }, { "end_ns", HIGH } },
		.ncolumns = 3,
		.nkeys = 1,
	},
	[TD_PARTIAL_PHASE_INTERVAL] = {
		.name = "phase_interval",
		.select = "SELECT :run, label, max(start_ns, coalesce(:since, start_ns)) AS begin, min(end_ns, coalesce(:until, end_ns)) AS end"
			  " FROM phase_interval WHERE begin < end",
		.answers = "phase_interval(label,start_ns,end_ns,run_number)",
		.columns = { { "run", K }, { "label", K }, { "start_ns", KI }, { "end_ns", HIGH } },
		.ncolumns = 4,
		.nkeys = 3,
	},
	[TD_PARTIAL_PHASE_NAME] = {
		.name = "phase",
		.select = "SELECT DISTINCT name FROM phases",
		.answers = "phases(name) clock_doubt(kind,against,error_ns)",
		.insert = "INSERT INTO phases (name) VALUES (?1)",
		.columns = { { "name", K } },
		.ncolumns = 1,
		.nkeys = 1,
	},
	/* GPUs of one number are one: of which machine is what other reports say. */
	[TD_PARTIAL_DEVICE] = {
		.name = "device",
		.select = "SELECT id, kind || ':' || name, kind, name, number FROM device",
		.answers = "device(id,kind,name,number,host)", /* host: NULL, as they are put together by name */
		.insert = "INSERT INTO device (id, kind, name, number) VALUES (?1, ?2, ?3, ?4)",
		.columns = { { "id", ID }, { "kind", T }, { "name", T }, { "number", HIGH } },
		.ncolumns = 4,
		.nkeys = 1,
		.has_id = 1,
	},
	[TD_PARTIAL_GPU_PHASE] = {
		.name = "gpu_phase",
		.select = "SELECT d.kind || ':' || d.name, g.label, " BASIS_NUMBER ", g.wall_ns, g.io_ns, g.block_ns, g.busy_min_ns, g.busy_max_ns,"
			  " g.io_both_min_ns, g.io_both_max_ns, g.io_neither_min_ns, g.io_neither_max_ns, g.block_both_min_ns,"
			  " g.block_both_max_ns, g.block_neither_min_ns, g.block_neither_max_ns"
			  " FROM gpu_phase AS g JOIN gpu_phase AS p ON p.rowid = g.rowid JOIN device AS d ON d.id = g.device_id WHERE" CLOCKS_HOLD,
		.answers = "gpu_phase(label,start_ns,device_id,basis,wall_ns,io_ns,block_ns,busy_min_ns,busy_max_ns,io_both_min_ns,"
			   "io_both_max_ns,io_neither_min_ns,io_neither_max_ns,block_both_min_ns,block_both_max_ns,block_neither_min_ns,"
			   "block_neither_max_ns,run_number)",
		.insert = "INSERT INTO gpu_phase (device_id, label, basis, wall_ns, io_ns, block_ns, busy_min_ns, busy_max_ns, io_both_min_ns,"
			  " io_both_max_ns, io_neither_min_ns, io_neither_max_ns, block_both_min_ns, block_both_max_ns,"
			  " block_neither_min_ns, block_neither_max_ns) VALUES (?1, ?2, " BASIS_NAME("?3") ", ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
			  " ?11, ?12, ?13, ?14, ?15, ?16)",
		.columns = { { "device", ID }, { "label", K }, { "basis", HIGH }, { "wall_ns", SUM }, { "io_ns", SUM }, { "block_ns", SUM },
			     { "busy_min_ns", SUM }, { "busy_max_ns", SUM }, { "io_both_min_ns", SUM }, { "io_both_max_ns", SUM },
			     { "io_neither_min_ns", SUM }, { "io_neither_max_ns", SUM }, { "block_both_min_ns", SUM },
			     { "block_both_max_ns", SUM }, { "block_neither_min_ns", SUM }, { "block_neither_max_ns", SUM } },
		.ncolumns = 16,
		.nkeys = 2,
	},
	[TD_PARTIAL_GPU_IDLE_PART] = {
		.name = "gpu_idle_part",
		.select = "SELECT d.kind || ':' || d.name, g.label, g.cause, " BASIS_NUMBER ", g.cause_ns, g.idle_min_ns, g.idle_max_ns, g.whose IS NULL"
			  " FROM gpu_idle_part AS g JOIN gpu_phase AS p ON p.label = g.label AND p.device_id = g.device_id"
			  " AND p.start_ns IS NULL AND p.run_number IS NULL JOIN device AS d ON d.id = g.device_id WHERE" CLOCKS_HOLD,
		.answers = "gpu_idle_part(label,start_ns,run_number,device_id,cause,basis,cause_ns,idle_min_ns,idle_max_ns,whose) "
			   "gpu_idle_cause(precedence,cause,meaning,needs)",
		.insert = "INSERT INTO gpu_idle_part (device_id, label, cause, basis, cause_ns, idle_min_ns, idle_max_ns, whose)"
			  " VALUES (?1, ?2, ?3, " BASIS_NAME("?4") ", ?5, ?6, ?7, CASE WHEN NOT ?8 THEN 'own' END)",
		.columns = { { "device", ID }, { "label", K }, { "cause", K }, { "basis", HIGH }, { "cause_ns", SUM },
			     { "idle_min_ns", SUM }, { "idle_max_ns", SUM }, { "anyone", HIGH } },
		.ncolumns = 8,
		.nkeys = 3,
	},
	/* Of the statistics of calls: what was left out of each database as too small. */
	[TD_PARTIAL_DROPPED] = {
		.name = "dropped",
		.columns = { { "question", KI }, { "groups", SUM }, { "largest_ns", SUM } },
		.ncolumns = 3,
		.nkeys = 1,
	},
};
