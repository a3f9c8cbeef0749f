/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target on files and folders of files, without a fuzzer: replays the seeds and whatever a
 * fuzzer found ("crash-..."). Also the main() for AFL++: afl-fuzz ... -- ./replay-NAME @@
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/strbuf.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/read_whole.h"

static int replay_path(const char *path);

static int replay_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int files = 0;

	if (!dir)
		return 0;
	while ((e = readdir(dir))) {
		struct td_strbuf below = TD_STRBUF_INIT;

		if (e->d_name[0] == '.')
			continue;
		td_strbuf_addf(&below, "%s/%s", path, e->d_name);
		files += replay_path(td_strbuf_str(&below));
		td_strbuf_done(&below);
	}
	closedir(dir);
	return files;
}

/* Number of files that were run. */
static int replay_path(const char *path)
{
	_cleanup_free_ char *data = NULL;
	struct stat st;
	size_t len;

	if (stat(path, &st) < 0)
		return 0;
	if (S_ISDIR(st.st_mode))
		return replay_folder(path);
	data = td_read_whole(path, &len);
	if (!data)
		return 0;
	LLVMFuzzerTestOneInput((const uint8_t *)data, len);
	return 1;
}

int main(int argc, char **argv)
{
	int files = 0;

	for (int i = 1; i < argc; i++)
		files += replay_path(argv[i]);
	printf("%d files\n", files);
	return files ? 0 : 1;
}
