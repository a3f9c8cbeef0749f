/* SPDX-License-Identifier: MIT */
/*
 * Command lines of nvidia-smi, and the header that each prints unless told not to:
 *
 *     nvidia-smi dmon -s mu -o T       #Time, gpu, fb, bar1, ccpm, sm, mem, enc, dec, jpg, ofa
 *     nvidia-smi --query-gpu=clocks.sm        clocks.current.sm [MHz]
 *
 * What the letters stand for is what 'nvidia-smi dmon -h' says and drivers 361 to 580 print. pmon has no --format
 * (up to 580), but its header is easily lost (grep python).
 */
#include "importers/nvidia/command.h"
#include "importers/nvidia/nvidia_query.h"

void td_nvidia_command_done(struct td_nvidia_command *cmd)
{
	free(cmd->words);
}

/* --- words --- */

static bool ends_command(char c)
{
	return !c || strchr(";|&<>\n", c);
}

/* The next word of a shell's line, without its quotes, to *to, ended with NUL; false behind the last one. */
static bool next_word(const char **p, char **to)
{
	const char *s = *p;
	char quote = 0;

	while (*s == ' ' || *s == '\t' || (*s == '\\' && s[1] == '\n'))
		s += *s == '\\' ? 2 : 1;
	if (ends_command(*s))
		return false;
	for (; *s && (quote || (*s != ' ' && *s != '\t' && !ends_command(*s))); s++) {
		if (quote && *s == quote)
			quote = 0;
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
		else
			*(*to)++ = *s;
	}
	*(*to)++ = '\0';
	*p = s;
	return true;
}

/* "nvidia-smi", "/usr/bin/nvidia-smi", "nvidia-smi.exe" */
static bool is_program(const char *word)
{
	const char *slash = strrchr(word, '/');
	const char *name = slash ? slash + 1 : word;

	return strcmp(name, "nvidia-smi") == 0 || strcmp(name, "nvidia-smi.exe") == 0;
}

/* Into words that follow each other, the last one empty, from the one behind the program's name on: sudo, timeout 60
 * and the like may stand before. NULL: the program is not named. */
static char *split(const char *text, char *words)
{
	const char *p = text;
	char *to = words, *word = words, *args = NULL;

	while (next_word(&p, &to)) {
		if (!args && is_program(word))
			args = to;
		word = to;
	}
	*to = '\0';
	return args;
}

bool td_nvidia_is_command(const char *text)
{
	_cleanup_free_ char *words = malloc(strlen(text) + 2);

	return words && split(text, words) && strchr(text, ' ');
}

/* --- options --- */

/* The value of an option: "-s puc", "--select puc", "--select=puc"; advances *word to the last word of it. */
static const char *value_of(char **word, const char *brief, const char *full)
{
	size_t n = strlen(full);

	if (strncmp(*word, full, n) == 0 && (*word)[n] == '=')
		return *word + n + 1;
	if (strcmp(*word, full) != 0 && (!brief || strcmp(*word, brief) != 0))
		return NULL;
	*word += strlen(*word) + 1;
	return *word;
}

static bool all_of(const char *letters, const char *known)
{
	return *letters && strspn(letters, known) == strlen(letters);
}

static int check(const struct td_nvidia_command *cmd, const char *text, struct td_err *err)
{
	static const char *const known[] = {
		[TD_NVIDIA_DMON] = "pucvmet", [TD_NVIDIA_PMON] = "um"
	};

	if (cmd->tool == TD_NVIDIA_QUERY)
		return *cmd->columns ? 0 : td_err_set(err, -EINVAL, "'%s': no columns", text);
	if (!all_of(cmd->select, known[cmd->tool]))
		return td_err_set(err, -EINVAL, "'%s': -s can be letters of '%s'", text,
				  known[cmd->tool]);
	if (*cmd->options && !all_of(cmd->options, "DT"))
		return td_err_set(err, -EINVAL, "'%s': -o can be D, T or DT", text);
	if (cmd->gpm && !all_of(cmd->gpm, "0123456789,"))
		return td_err_set(err, -EINVAL, "'%s': --gpm-metrics are numbers", text);
	return 0;
}

/* What one word says. */
static void read_word(struct td_nvidia_command *cmd, char **word, bool *query)
{
	const struct {
		const char *brief, *full;
		const char **value;
		bool query;
	} options[] = {
		{ "-s", "--select", &cmd->select, false },
		{ "-o", "--options", &cmd->options, false },
		{ NULL, "--gpm-metrics", &cmd->gpm, false },
		{ NULL, "--query-gpu", &cmd->columns, true },
		{ NULL, "--query-compute-apps", &cmd->columns, true },
	};
	const char *v = NULL;

	for (size_t i = 0; i < TD_ARRAY_SIZE(options) && !v; i++) {
		v = value_of(word, options[i].brief, options[i].full);
		if (!v)
			continue;
		*options[i].value = v;
		*query |= options[i].query;
	}
}

int td_nvidia_command_scan(const char *text, struct td_nvidia_command *ret, struct td_err *err)
{
	bool query = false;
	char *word;

	/* as long as the text, and an empty word and its value behind the last one */
	*ret = (struct td_nvidia_command){ .options = "", .words = calloc(1, strlen(text) + 3) };
	if (!ret->words)
		return -ENOMEM;
	word = split(text, ret->words);
	if (!word)
		return td_err_set(err, -EINVAL, "'%s': no command line of nvidia-smi", text);
	if (strcmp(word, "pmon") == 0) {
		ret->tool = TD_NVIDIA_PMON;
		ret->select = "u";
	} else if (strcmp(word, "dmon") == 0) {
		ret->tool = TD_NVIDIA_DMON;
		ret->select = "puc";
	}
	for (; *word; word += strlen(word) + 1) {
		ret->is_apps |= strncmp(word, "--query-compute-apps", 20) == 0;
		read_word(ret, &word, &query);
	}
	if (query)
		ret->tool = TD_NVIDIA_QUERY;
	if (!query && !ret->select)
		return td_err_set(err, -EINVAL,
				  "'%s': of nvidia-smi, dmon, pmon, --query-gpu=... and "
				  "--query-compute-apps=... print rows",
				  text);
	return check(ret, text, err);
}

static int claim_layout(const char *text)
{
	return td_nvidia_is_command(text) ? 90 : 0;
}

static void free_layout(void *layout)
{
	td_nvidia_command_done(layout);
	free(layout);
}

static int read_layout(const char *text, void **ret, struct td_err *err)
{
	struct td_nvidia_command *cmd = malloc(sizeof(*cmd));
	int r = cmd ? td_nvidia_command_scan(text, cmd, err) : -ENOMEM;

	if (r < 0 && cmd)
		free_layout(cmd);
	if (r >= 0)
		*ret = cmd;
	return r;
}

const struct td_layout_kind td_nvidia_layout = {
	.claim = claim_layout,
	.read = read_layout,
	.free = free_layout,
};

/* --- dmon and pmon --- */

/* What p, u and m have stood for, the newest first; each generation has more columns than the next. */
static const struct generation {
	const char *p, *u, *m, *pmon_m;
} generations[] = {
	{ "pwr gtemp mtemp", "sm mem enc dec jpg ofa", "fb bar1 ccpm", "fb ccpm" },
	{ "pwr gtemp mtemp", "sm mem enc dec jpg ofa", "fb bar1", "fb" },
	{ "pwr gtemp mtemp", "sm mem enc dec", "fb bar1", "fb" },
	{ "pwr temp", "sm mem enc dec", "fb bar1", "fb" },
};

static const char *columns_of(const struct generation *g, char letter, bool pmon)
{
	switch (letter) {
	case 'p':
		return g->p;
	case 'u':
		return g->u;
	case 'c':
		return "mclk pclk";
	case 'v':
		return "pviol tviol";
	case 'm':
		return pmon ? g->pmon_m : g->m;
	case 'e':
		return "sbecc dbecc pci";
	default:
		return "rxpci txpci";
	}
}

/* The headings of --gpm-metrics, as driver 580 prints them; they come in the order of the numbers given. */
static void add_gpm(const char *numbers, struct td_strbuf *ret)
{
	static const struct {
		uint64_t number;
		const char *name;
	} names[] = {
		{ 1, "gract" },  { 2, "smutil" }, { 3, "smocc" },   { 4, "intutil" },
		{ 5, "mmaact" }, { 6, "dfmat" },  { 7, "hmmat" },   { 9, "immat" },
		{ 10, "dram" },  { 11, "fp64" },  { 12, "fp32" },   { 13, "fp16" },
		{ 20, "pcitx" }, { 21, "pcirx" }, { 50, "nvofa0" }, { 60, "nvlrx" },
		{ 61, "nvltx" },
	};
	struct td_scan s = td_scan_of(numbers, strlen(numbers));
	uint64_t n;

	while (td_scan_u64(&s, &n)) {
		const char *name = NULL;

		for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
			if (names[i].number == n)
				name = names[i].name;
		if (name)
			td_strbuf_addf(ret, " %s", name);
		else
			td_strbuf_addf(ret, " gpm%llu", (unsigned long long)n);
		(void)td_scan_char(&s, ',');
	}
}

/* Blanks between the columns; a letter counts once. */
static void monitor_header(const struct td_nvidia_command *cmd, const struct generation *g,
			   struct td_strbuf *ret)
{
	bool pmon = cmd->tool == TD_NVIDIA_PMON;

	td_strbuf_reset(ret);
	td_strbuf_adds(ret, "#");
	td_strbuf_adds(ret, strchr(cmd->options, 'D') ? "Date " : "");
	td_strbuf_adds(ret, strchr(cmd->options, 'T') ? "Time " : "");
	td_strbuf_adds(ret, pmon ? "gpu pid type" : "gpu");
	for (const char *l = cmd->select; *l; l++)
		if (!memchr(cmd->select, *l, (size_t)(l - cmd->select)))
			td_strbuf_addf(ret, " %s", columns_of(g, *l, pmon));
	if (cmd->gpm)
		add_gpm(cmd->gpm, ret);
	td_strbuf_adds(ret, pmon ? " command" : "");
}

/* The cell in a column of that name. */
static bool fits_column(struct td_str name, struct td_str cell)
{
	static const char *const types[] = { "C", "G", "C+G", "M", "M+C" };
	struct td_scan s = td_scan_of(cell.p, cell.len);
	int64_t n;
	double v;

	if (td_str_eq(name, "Date"))
		return td_nvidia_scan_date(cell, &n);
	if (td_str_eq(name, "Time"))
		return td_scan_tod(&s, &n) && td_scan_done(&s);
	if (td_str_eq(name, "gpu"))
		return td_query_scan_integer(cell, &n);
	if (td_str_eq(name, "command") || td_nvidia_is_missing(cell))
		return true;
	for (size_t i = 0; i < TD_ARRAY_SIZE(types) && td_str_eq(name, "type"); i++)
		if (td_str_eq(cell, types[i]))
			return true;
	return !td_str_eq(name, "type") && td_scan_double(&s, &v) && td_scan_done(&s);
}

/* Has the row a cell for each column of the header, and none behind it? A command may have blanks in it, and would
 * take in what is left of a row with more columns. */
static bool fits_row(const struct td_strbuf *header, bool csv, const char *row, size_t len)
{
	struct td_scan h = td_scan_of(header->p + 1, header->len - 1), r = td_scan_of(row, len), t;
	struct td_str name, cell;
	double v;

	while (td_scan_blanks(&h), td_scan_token(&h, &name)) {
		if (!td_nvidia_next_cell(&r, csv, &cell) || !fits_column(name, cell))
			return false;
		if (!td_str_eq(name, "command"))
			continue;
		t = td_scan_of(cell.p, cell.len);
		td_scan_blanks(&r);
		return td_nvidia_is_missing(cell) ? td_scan_done(&r) : !td_scan_double(&t, &v);
	}
	td_scan_blanks(&r);
	return td_scan_done(&r);
}

static bool with_commas(struct td_strbuf *b)
{
	_cleanup_free_ char *copy = strndup(td_strbuf_str(b), b->len);

	if (!copy)
		return false;
	td_strbuf_reset(b);
	for (const char *p = copy; *p; p++) {
		if (*p == ' ')
			td_strbuf_addc(b, ',');
		td_strbuf_addc(b, *p);
	}
	return true;
}

static bool monitor_command_header(const struct td_nvidia_command *cmd, const char *row, size_t len,
				   struct td_strbuf *ret)
{
	bool csv = memchr(row, ',', len) != NULL;

	for (size_t i = 0; i < TD_ARRAY_SIZE(generations); i++) {
		monitor_header(cmd, &generations[i], ret);
		if (td_strbuf_error(ret) == 0 && fits_row(ret, csv, row, len))
			return !csv || with_commas(ret);
	}
	return false;
}

/* --- queries --- */

const char *td_nvidia_unit_of(struct td_str name)
{
	static const struct {
		const char *begin, *unit;
	} units[] = {
		{ "utilization.", "%" },      { "fan.speed", "%" },
		{ "memory.", "MiB" },         { "protected_memory.", "MiB" },
		{ "used_gpu_memory", "MiB" }, { "used_memory", "MiB" },
		{ "clocks.", "MHz" },         { "clocks_event_reasons_counters.", "us" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++)
		if (td_str_starts(name, units[i].begin))
			return units[i].unit;
	if (td_str_find(name, "power.draw") ||
	    (td_str_find(name, "power.") && td_str_ends(name, "limit")))
		return "W";
	return NULL;
}

/* Columns have several names; one is printed. */
static struct td_str printed_name(struct td_str name)
{
	static const struct {
		const char *given, *printed;
	} names[] = {
		{ "clocks.gr", "clocks.current.graphics" },
		{ "clocks.sm", "clocks.current.sm" },
		{ "clocks.mem", "clocks.current.memory" },
		{ "clocks.video", "clocks.current.video" },
		{ "clocks.applications.gr", "clocks.applications.graphics" },
		{ "clocks.applications.mem", "clocks.applications.memory" },
		{ "clocks.max.gr", "clocks.max.graphics" },
		{ "clocks.max.mem", "clocks.max.memory" },
		{ "used_memory", "used_gpu_memory" },
		{ "gpu.power.draw.average", "power.draw.average" },
		{ "gpu.power.draw.instant", "power.draw.instant" },
		{ "gpu.power.current_limit", "enforced.power.limit" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		if (td_str_eq(name, names[i].given))
			return (struct td_str){ names[i].printed, strlen(names[i].printed) };
	return name;
}

/* May the cell stand in that column? sure: it would hardly stand there by chance. */
static bool fits_query_column(struct td_str name, struct td_str cell, bool *sure)
{
	struct td_str unit;
	double value;
	int64_t n;

	if (td_str_eq(name, "timestamp"))
		return *sure = td_query_scan_time(cell, &n);
	if (td_query_is_missing(cell))
		return true;
	if (td_str_eq(name, "index") || td_str_eq(name, "pid") || td_str_eq(name, "count"))
		return *sure = td_query_scan_integer(cell, &n);
	if (td_str_ends(name, "uuid"))
		return *sure = td_str_find(cell, "-") != NULL;
	if (td_str_ends(name, "bus_id"))
		return *sure = td_str_find(cell, ":") != NULL;
	if (!td_nvidia_unit_of(name) && !td_str_starts(name, "temperature."))
		return true;
	return *sure = td_query_scan_number(cell, &value, &unit);
}

static bool query_command_header(const struct td_nvidia_command *cmd, const char *row, size_t len,
				 struct td_strbuf *ret)
{
	struct td_scan c = td_scan_of(cmd->columns, strlen(cmd->columns)), r = td_scan_of(row, len);
	struct td_str given, cell;
	bool any_sure = false;

	td_strbuf_reset(ret);
	while (td_query_next_cell(&c, &given)) {
		struct td_str name = printed_name(given);
		const char *unit = td_nvidia_unit_of(name);
		bool sure = false;

		if (!td_query_next_cell(&r, &cell) || !fits_query_column(name, cell, &sure))
			return false;
		any_sure |= sure;
		td_strbuf_adds(ret, ret->len ? ", " : "");
		td_strbuf_add(ret, name.p, name.len);
		if (unit)
			td_strbuf_addf(ret, " [%s]", unit);
	}
	return !r.p && any_sure && td_strbuf_error(ret) == 0;
}

bool td_nvidia_command_header(const struct td_nvidia_command *cmd, const char *row, size_t len,
			      struct td_strbuf *ret)
{
	return cmd->tool == TD_NVIDIA_QUERY ? query_command_header(cmd, row, len, ret)
					    : monitor_command_header(cmd, row, len, ret);
}
