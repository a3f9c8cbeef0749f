/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "common/cleanup.h"
#include "store/template.h"
#include "store/template_block.h"
#include "tests/unit/check.h"

static const char *template_of(const char *name)
{
	static char out[512];
	size_t n = strlen(name);

	TD_CHECK(TD_TEMPLATE_ROOM(n) < sizeof(out));
	out[td_template_of((struct td_str){ name, n }, out)] = '\0';
	return out;
}

static const struct {
	const char *name, *want;
} cases[] = {
	/* runs of digits */
	{ "", "" },
	{ "/data/case_00123_x.npy", "/data/case_{}_x.npy" },
	{ "/v2/f10/7", "/v{}/f{}/{}" },
	{ "1.2", "{}.{}" },
	/* semaphores: of glibc while it makes one, of Python and of loky; and one with a name */
	{ "/dev/shm/sem.Xk3aQz", "/dev/shm/sem.{}" },
	{ "/dev/shm/sem.mp-q_8zk2da", "/dev/shm/sem.{}" },
	{ "/dev/shm/sem.mp-abcdefgh (deleted)", "/dev/shm/sem.{} (deleted)" },
	{ "sem.loky-4711-x8_k2jq3", "sem.{}" },
	{ "/dev/shm/sem.worker", "/dev/shm/sem.worker" },
	{ "/dev/shm/sem.Worker", "/dev/shm/sem.Worker" },
	{ "/dev/shm/sem.queue3", "/dev/shm/sem.queue{}" },
	{ "/dev/shm/qZ3tUv", "/dev/shm/{}" },
	{ "/dev/shm/tUvwXy", "/dev/shm/{}" },
	{ "/dev/shm/ring01", "/dev/shm/ring{}" },
	{ "/data/qZ3tUv", "/data/qZ{}tUv" },
	/* Python's shared memory, arenas, directories and sockets */
	{ "/dev/shm/psm_0a1b2c3d", "/dev/shm/psm_{}" },
	{ "psm_cafebabe", "psm_{}" },
	{ "psm_metrics0", "psm_metrics{}" },
	{ "/dev/shm/pym-4711-ab_9xk2w", "/dev/shm/pym-{}" },
	{ "/tmp/pymp-k3_x9wqa/listener-8a2kd_x1", "/tmp/pymp-{}/listener-{}" },
	{ "/run/listener-internal", "/run/listener-internal" },
	{ "/scratch/job/tmpa1b2c3d4", "/scratch/job/tmp{}" },
	{ "/scratch/job/tmpx_9k2w_a/model.pt", "/scratch/job/tmp{}/model.pt" },
	{ "tmpa1b2c3d4.json.gz", "tmp{}.json.gz" },
	{ "tmpa1b2c3d45", "tmpa{}b{}c{}d{}" },
	{ "tmp_results", "tmp_results" },
	{ "tmpdownload", "tmpdownload" },
	{ "tmp_shard12", "tmp_shard{}" },
	/* PyTorch, NCCL, Ray */
	{ "/dev/shm/torch_4711_3735928559_12", "/dev/shm/torch_{}" },
	{ "torch_4711_3735928559", "torch_{}" },
	{ "torch_model_2", "torch_model_{}" },
	{ "/tmp/torch-shm-dir-x8Kq2Z/manager.sock", "/tmp/torch-shm-dir-{}/manager.sock" },
	{ "/dev/shm/nccl-aB3dE9", "/dev/shm/nccl-{}" },
	{ "nccl-config", "nccl-config" },
	{ "/dev/shm/plasmaQ8x2Lk", "/dev/shm/plasma{}" },
	/* temporary files of others, where such are */
	{ "/tmp/tmp.Xy7Kq2Zr8w", "/tmp/tmp.{}" },
	{ "/tmp/ccX4yZ12.s", "/tmp/cc{}.s" },
	{ "/tmp/build-x8Kq2Z", "/tmp/build-{}" },
	{ "/tmp/.org.app.X8kq2Z (deleted)", "/tmp/.org.app.{} (deleted)" },
	{ "/var/tmp/shards_a8k2x9wq.parquet", "/var/tmp/shards_{}.parquet" },
	{ "/tmp/build-OpenCV", "/tmp/build-OpenCV" },
	{ "/tmp/build-epoch3", "/tmp/build-epoch{}" },
	{ "/home/me/build-x8Kq2Z", "/home/me/build-x{}Kq{}Z" },
	{ "/tmp/data/build-x8Kq2Z", "/tmp/data/build-x{}Kq{}Z" },
	/* UUIDs, hashes */
	{ "/d/0b9f5a1c-7e1d-4c6b-9f0e-3d2c1b0a9f8e.pt", "/d/{}.pt" },
	{ "GPU-0B9F5A1C-7E1D-4C6B-9F0E-3D2C1B0A9F8E", "GPU-{}" },
	{ "0b9f5a1c-7e1d-4c6b-9f0e", "{}-{}e{}d-{}c{}b-{}f{}e" },
	{ "blobs/9a0364b9e99bb480dd25e1f0284c8555", "blobs/{}" },
	{ "resnet50-0676ba61.pth", "resnet{}-{}.pth" },
	{ "/c/kx/ckx4q2zrwabcdef7hijk2mnop5qrstuvw3xyzab4cdefgh6ijk.py", "/c/kx/{}.py" },
	{ "x86_64", "x{}_{}" },
	{ "20240102a.log", "{}a.log" },
	{ "effaced.bin", "effaced.bin" },
	{ "libavcodec.so.59.37.100", "libavcodec.so.{}.{}.{}" },
	{ "a8b9c8d7e6-batch", "{}-batch" },
	{ "caf\xc3\xa9"
	  "1",
	  "caf\xc3\xa9{}" },
};

static void test_cases(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		TD_CASE(cases[i].name);
		TD_CHECK_STR(template_of(cases[i].name), cases[i].want);
		TD_CHECK_STR(template_of(cases[i].want), cases[i].want);
	}
}

/* Names as their makers draw them, each character for itself, and how many of 1000 may be left as
 * they are, at four standard deviations or more. Where a rule takes them all it is none. Of the 6
 * of mkstemp(3), those are left that are small letters and then digits, the sum of (26/62)^k
 * (10/62)^(6-k) over all k, 0.9 %; as many have a capital before, or capitals only: 2.7 %. Of
 * tempfile's 8, the sum of (27/37)^k (10/37)^(8-k), 12.7 %, of which 45 % have no four consonants
 * in a row. Of 52 of base 32, 0.3 % have fewer than six turns between letters and digits; of 32
 * hexadecimal digits, 1 in 300,000 fewer than two. */
static const struct {
	const char *before, *alphabet;
	size_t len;
	const char *want;
	unsigned most_missed;
} drawn[] = {
	{ "/dev/shm/sem.mp-", "abcdefghijklmnopqrstuvwxyz0123456789_", 8, "/dev/shm/sem.{}", 0 },
	{ "/dev/shm/psm_", "0123456789abcdef", 8, "/dev/shm/psm_{}", 0 },
	{ "/tmp/pymp-", "abcdefghijklmnopqrstuvwxyz0123456789_", 8, "/tmp/pymp-{}", 0 },
	{ "/dev/shm/sem.", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 6,
	  "/dev/shm/sem.{}", 50 },
	{ "/dev/shm/", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 6,
	  "/dev/shm/{}", 50 },
	{ "/x/tmp", "abcdefghijklmnopqrstuvwxyz0123456789_", 8, "/x/tmp{}", 90 },
	{ "/tmp/a-", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 6,
	  "/tmp/a-{}", 300 },
	{ "", "0123456789abcdef", 32, "{}", 1 },
	{ "", "abcdefghijklmnopqrstuvwxyz234567", 52, "{}", 15 },
};

static void test_drawn(void)
{
	uint64_t state = 1;

	for (size_t i = 0; i < TD_ARRAY_SIZE(drawn); i++) {
		size_t letters = strlen(drawn[i].alphabet), n = strlen(drawn[i].before);
		unsigned missed = 0;
		char name[128];

		TD_CASE(drawn[i].before);
		memcpy(name, drawn[i].before, n);
		for (int k = 0; k < 1000; k++) {
			for (size_t c = 0; c < drawn[i].len; c++) {
				state = state * UINT64_C(6364136223846793005) +
					UINT64_C(1442695040888963407);
				name[n + c] = drawn[i].alphabet[(state >> 33) % letters];
			}
			name[n + drawn[i].len] = '\0';
			missed += strcmp(template_of(name), drawn[i].want) != 0;
		}
		TD_CHECK(missed <= drawn[i].most_missed);
	}
}

/* --- of many files --- */

TD_DEFINE_CLEANUP(struct td_template_block *, td_template_block_free)

static bool is_same(const char *a, const char *b)
{
	return td_template_is_same((struct td_str){ a, strlen(a) },
				   (struct td_str){ b, strlen(b) });
}

/* Texts of any length: with another digit for each, one digit less, one letter changed. */
static void test_same(void)
{
	unsigned told = 0;

	TD_CASE("same");
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++) {
		const char *name = cases[i].name;
		char other[128];

		(void)snprintf(other, sizeof(other), "%s", name);
		for (char *c = other; *c; c++)
			if (td_is_digit(*c))
				*c = (char)('0' + (*c - '0' + 1 + (c - other) % 9) % 10);
		TD_CHECK(is_same(name, other));
		TD_CHECK_STR(template_of(other), cases[i].want);
		for (char *c = other; *c; c++) {
			char was = *c;

			*c = 'x';
			TD_CHECK_INT(is_same(name, other), was == 'x');
			told += is_same(name, other);
			*c = was;
		}
		if (*name) {
			other[strlen(other) - 1] = '\0';
			TD_CHECK(!is_same(name, other));
		}
	}
	TD_CHECK(told > 0);
}

#define FILES 150000

static char paths[FILES][32];
static struct td_file files[FILES];

/* Is it that of the file before, and is that said? */
static struct {
	unsigned same, said;
} again;

static void check_ahead(struct td_template_block **block, size_t nfiles, uint32_t id)
{
	bool is_again;
	struct td_str got = td_template_block_get(block, files, nfiles, id, &is_again);
	char want[64];
	bool same;

	(void)snprintf(want, sizeof(want), "%s", template_of(paths[id - 1]));
	same = id > 1 && strcmp(want, template_of(paths[id - 2])) == 0;
	again.same += same;
	again.said += is_again;
	TD_CHECK(!is_again || same);
	if (got.p)
		TD_CHECK(got.len == strlen(want) && memcmp(got.p, want, got.len) == 0);
}

/* Upwards all are there, whichever are left out between; in another order those that are there are right. */
static void test_ahead(void)
{
	_cleanup_(td_template_block_freep) struct td_template_block *block = NULL, *few = NULL;
	bool is_again;

	TD_CASE("ahead");
	for (uint32_t i = 0; i < FILES; i++) {
		(void)snprintf(paths[i], sizeof(paths[i]), "%s%u/f.%u.npy", i % 7 ? "/d" : "n",
			       i % 7, i * 31);
		if (i % 5 == 0)
			paths[i][0] = '\0';
		files[i].path = (struct td_str){ i % 3 ? paths[i] : NULL, strlen(paths[i]) };
		files[i].name = (struct td_str){ paths[i], strlen(paths[i]) };
	}
	for (uint32_t id = 1; id <= FILES; id++) {
		TD_CHECK(td_template_block_get(&block, files, FILES, id, &is_again).p != NULL);
		check_ahead(&block, FILES, id);
		TD_CHECK(td_template_block_get(&few, files, 1000, 1 + id % 1000, &is_again).p ==
			 NULL);
		TD_CHECK(!is_again);
	}
	/* "/d1/f.31.npy" and "/d2/f.62.npy" are one template: some 45 of 100 are that of the file before */
	TD_CHECK(again.same > FILES / 3);
	TD_CHECK(again.said > again.same / 10 * 9);
	for (uint32_t i = 0; i < FILES; i++)
		check_ahead(&block, FILES, 1 + (uint32_t)((uint64_t)i * 7919 % FILES));
}

int main(void)
{
	test_cases();
	test_drawn();
	test_same();
	test_ahead();
	return td_check_result();
}
