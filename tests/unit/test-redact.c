/* SPDX-License-Identifier: MIT */
#include <errno.h>

#include "analyzer/redact/columns.h"
#include "analyzer/redact/names.h"
#include "analyzer/redact/texts.h"
#include "common/cleanup.h"
#include "schema/db.h"
#include "tests/unit/check.h"

static struct td_names *names_of(unsigned char first)
{
	unsigned char key[TD_REDACT_KEY_BYTES];
	struct td_names *n = NULL;

	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char)(first + i);
	TD_CHECK_INT(td_names_new(key, &n), 0);
	return n;
}

static struct td_str str(const char *text)
{
	return (struct td_str){ text, strlen(text) };
}

/*
 * What Python says of the key bytes(range(32)):
 *     h = hashlib.blake2b(b'f' + b'raid', key=bytes(range(32)), digest_size=32).digest()
 *     ''.join(chr(ord('g') + (h[i // 2] >> (4 if i % 2 else 0)) % 16) for i in range(16))
 * and of digits, b'n' in front of the name: chr(ord('0') + h[i] % 10) for i in range(12).
 */
#define RAID "gvlvgtnlrmovimlu"
#define CASE "tnhsqtqvtmuptnnn"

static void test_paths(void)
{
	static const struct {
		const char *path, *templ, *want;
	} cases[] = {
		{ "/raid/case_00012_x.npy", "/raid/case_{}_x.npy",
		  "/" RAID "/" CASE "_060239135243.npy" },
		{ "/raid/case_{}_x.npy", "/raid/case_{}_x.npy", "/" RAID "/" CASE "_{}.npy" },
		{ "/raid", "/raid/case_{}_x.npy", "/" RAID },
		{ "/raid/case_00012_x.npy", NULL, "/" RAID "/" CASE "_060239135243.npy" },
		{ "raid", "raid", RAID },
		{ "raid", "tty{}", NULL }, /* not its template: a name all the same */
		{ "", "", "" },
		{ "/", "/", "/" },
		{ "/", "/raid", "/" },
		{ "/dev/nvidia0", "/dev/nvidia{}", "/dev/nvidia0" },
		{ "/usr/lib//raid/", "/usr/lib//raid/", "/usr/lib//" RAID "/" },
	};
	_cleanup_(td_names_freep) struct td_names *n = names_of(0);

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT;
		struct td_str none = { NULL, 0 };

		td_name_path(n, str(cases[i].path), cases[i].templ ? str(cases[i].templ) : none,
			     &b);
		if (cases[i].want)
			TD_CHECK_STR(td_strbuf_str(&b), cases[i].want);
		TD_CHECK(!strstr(td_strbuf_str(&b), "raid"));
	}
	/* int.from_bytes(blake2b(b'i' + (5).to_bytes(8, 'little'), ...).digest()[:8], 'little') >> 11 */
	TD_CHECK_INT(td_name_number(n, 'i', 5), INT64_C(4064599410008090));
}

static void test_texts(void)
{
	/* '*' stands for a name of 16 letters. */
	static const struct {
		enum td_text_kind kind;
		const char *text, *want;
	} cases[] = {
		{ TD_TEXT_COMM, "python3.12", "python3.12" },
		{ TD_TEXT_COMM, "kworker/u32:3", "kworker/u32:3" },
		{ TD_TEXT_COMM, "kworker/ alice", "*" },
		{ TD_TEXT_COMM, "acme-train", "*" },
		{ TD_TEXT_USER, "root", "root" },
		{ TD_TEXT_USER, "alice", "*" },
		{ TD_TEXT_COMMAND, "acme --key=hunter /acme", "* --*=* /*" },
		{ TD_TEXT_LABEL, "epoch 3", "epoch 3" },
		{ TD_TEXT_LABEL, "secret 3", "* 3" },
		{ TD_TEXT_LABEL, "aten::add_", "aten::add_" },
		{ TD_TEXT_LABEL, "aten::add of alice", "*" },
		{ TD_TEXT_GPU, "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
		  "ncclDevKernel_AllReduce_Sum_f32_RING_LL" },
		{ TD_TEXT_GPU, "void ncclDevKernel_SendRecv", "void ncclDevKernel_SendRecv" },
		{ TD_TEXT_GPU, "void ncclDevKernel of alice", "*" },
		{ TD_TEXT_GPU, "Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)" },
		{ TD_TEXT_GPU, "acme_attention", "*" },
		{ TD_TEXT_ARGS, "0x7f12, FUTEX_WAIT_PRIVATE, 2", "0x7f12, FUTEX_WAIT_PRIVATE, 2" },
		{ TD_TEXT_ARGS, "3, \"card 4111\", 5", "3, \"*\", 5" },
		{ TD_TEXT_ARGS, "\"cut off 4111", "\"*\"" },
		{ TD_TEXT_ARGS, "{\"rank\": 3, \"who\": \"al\\\"ice\", \"pin\": 1234}",
		  "{\"rank\": 3, \"*\": \"*\", \"*\": 0}" },
		{ TD_TEXT_ARGS, "{\"rank\": acme}", "{\"*\": *}" },
		{ TD_TEXT_PEERS, "TCP:[10.0.0.1:80->10.0.0.2:443]", "TCP:[*->*]" },
		{ TD_TEXT_PEERS, "acme", "*" },
		{ TD_TEXT_DEVICE, "nvme0n1p2", "nvme0n1p2" },
		{ TD_TEXT_DEVICE, "GPU 3", "GPU 3" },
		{ TD_TEXT_DEVICE, "GPU GPU-24b4ee2d", "*" },
		{ TD_TEXT_DEVICE, "sdsecret", "*" },
		{ TD_TEXT_OP, "openat", "openat" },
		{ TD_TEXT_OP, "cudaLaunchKernel", "cudaLaunchKernel" },
		{ TD_TEXT_OP, "acme_read_shard", "*" },
		{ TD_TEXT_LAYOUT, "dgx1_v2/bio", "dgx1_v2/bio" },
		{ TD_TEXT_LAYOUT, "user:acme.bt", "user:*" },
		{ TD_TEXT_VERSION, "2024.1.1", "2024.1.1" },
		{ TD_TEXT_VERSION, "1.2-alice", "*" },
		{ TD_TEXT_NOTE, "whatever", "(redacted)" },
		{ TD_TEXT_NAME, "gpu01", "*" },
	};
	_cleanup_(td_names_freep) struct td_names *n = names_of(0);

	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		_cleanup_(td_strbuf_done) struct td_strbuf b = TD_STRBUF_INIT,
							   shown = TD_STRBUF_INIT;
		const char *p;

		td_redact_text(n, cases[i].kind, str(cases[i].text), &b);
		for (p = td_strbuf_str(&b); *p;) {
			size_t letters = strspn(p, "ghijklmnopqrstuv");

			td_strbuf_add(&shown, letters == 16 ? "*" : p, 1);
			p += letters == 16 ? 16 : 1;
		}
		TD_CHECK_STR(td_strbuf_str(&shown), cases[i].want);
	}
}

static void test_keys(void)
{
	_cleanup_(td_names_freep) struct td_names *a = names_of(0), *b = names_of(0),
						  *c = names_of(1);
	struct td_strbuf of_a = TD_STRBUF_INIT, of_b = TD_STRBUF_INIT, of_c = TD_STRBUF_INIT;

	td_redact_text(a, TD_TEXT_PATH, str("/x/y"), &of_a);
	td_redact_text(b, TD_TEXT_PATH, str("/x/y"), &of_b);
	td_redact_text(c, TD_TEXT_PATH, str("/x/y"), &of_c);
	TD_CHECK_STR(td_strbuf_str(&of_a), td_strbuf_str(&of_b));
	TD_CHECK(strcmp(td_strbuf_str(&of_a), td_strbuf_str(&of_c)) != 0);
	td_strbuf_done(&of_a);
	td_strbuf_done(&of_b);
	td_strbuf_done(&of_c);
}

/* A column of text, or of ids of text, that somebody adds to the schema has to be thought of. */
static void test_columns(void)
{
	_cleanup_(td_db_closep) sqlite3 *db = NULL;
	_cleanup_(sqlite3_finalizep) sqlite3_stmt *s = NULL;
	struct td_err err = { 0 };
	int n = 0;

	TD_CHECK_INT(td_db_create(":memory:", TD_PAGE_SIZE, &db, &err), 0);
	TD_CHECK_INT(sqlite3_prepare_v2(
			     db,
			     "SELECT m.name, c.name FROM sqlite_schema AS m JOIN "
			     "pragma_table_info(m.name) AS c WHERE m.type = 'table' AND (c.type = "
			     "'TEXT' OR "
			     "EXISTS (SELECT 1 FROM pragma_foreign_key_list(m.name) AS f WHERE "
			     "f.\"from\" = c.name AND f.\"table\" = 'string'))",
			     -1, &s, NULL),
		     SQLITE_OK);
	for (; sqlite3_step(s) == SQLITE_ROW; n++) {
		const char *table = (const char *)sqlite3_column_text(s, 0);
		const char *column = (const char *)sqlite3_column_text(s, 1);

		if (!td_redact_column_find(table, column))
			fprintf(stderr, "%s.%s is not in analyzer/redact/columns.c\n", table,
				column);
		TD_CHECK(td_redact_column_find(table, column));
	}
	TD_CHECK(n > 60);
}

int main(void)
{
	test_paths();
	test_texts();
	test_keys();
	test_columns();
	return td_check_result();
}
