/* SPDX-License-Identifier: MIT */
/* What helps depends on where events were lost. */
#include <fcntl.h>

#include "collector/loss.h"
#include "common/cleanup.h"
#include "tests/unit/check.h"

static enum td_loss_place place(const char *name, uint32_t ring_size_bytes)
{
	union {
		struct td_wire_loss loss;
		char bytes[sizeof(struct td_wire_loss) + 32];
	} r = { .loss = { .ring_size_bytes = ring_size_bytes, .name_len = (uint8_t)strlen(name) } };

	memcpy(r.bytes + offsetof(struct td_wire_loss, name), name, strlen(name));
	return td_loss_place(&r.loss);
}

/* What is said on standard error. */
static void said(const uint64_t *lost, char *to, size_t size)
{
	FILE *f = tmpfile();
	int before = dup(STDERR_FILENO);
	size_t n;

	if (!f || before < 0)
		abort();
	(void)fflush(stderr);
	(void)dup2(fileno(f), STDERR_FILENO);
	td_loss_say(lost, 5000);
	(void)fflush(stderr);
	(void)dup2(before, STDERR_FILENO);
	(void)close(before);
	rewind(f);
	n = fread(to, 1, size - 1, f);
	to[n] = '\0';
	(void)fclose(f);
}

int main(void)
{
	static const struct {
		enum td_loss_place place;
		const char *helps, *not ;
	} words[] = {
		{ TD_LOSS_RINGS, "--buffer", "--max-size" },
		{ TD_LOSS_NAMES, "watch fewer processes", "--buffer" },
		{ TD_LOSS_MISSED, "fewer event sets", "--buffer" },
		{ TD_LOSS_COMPAT, "32-bit programs", "--buffer" },
		{ TD_LOSS_CUDA, "--cuda", "--buffer" },
		{ TD_LOSS_DISK, "--max-size", "--buffer" },
	};
	char text[1024];

	TD_CASE("place");
	TD_CHECK_INT(place("file_io", 4096), TD_LOSS_RINGS);
	TD_CHECK_INT(place("process", 4096), TD_LOSS_NAMES);
	TD_CHECK_INT(place("file", 4096), TD_LOSS_NAMES);
	TD_CHECK_INT(place("enter_btf", 0), TD_LOSS_MISSED);
	TD_CHECK_INT(place("cuda-kernels", 4096), TD_LOSS_CUDA);
	TD_CHECK_INT(place("spool", 0), TD_LOSS_DISK);
	TD_CHECK_INT(place("32-bit", 0), TD_LOSS_COMPAT);
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++) {
		uint64_t lost[TD_NLOSSES] = { 0 };

		TD_CASE(words[i].helps);
		lost[words[i].place] = 42;
		said(lost, text, sizeof(text));
		TD_CHECK(strstr(text, "42 of 5,000 events were lost") != NULL);
		TD_CHECK(strstr(text, words[i].helps) != NULL);
		TD_CHECK(strstr(text, words[i].not ) == NULL);
	}
	TD_CASE("none");
	said((uint64_t[TD_NLOSSES]){ 0 }, text, sizeof(text));
	TD_CHECK_STR(text, "");
	return td_check_result();
}
