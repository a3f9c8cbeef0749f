/* SPDX-License-Identifier: MIT */
#include "collector/mapped.h"
#include "collector/sets/provider.h"
#include "common/units.h"

static bool has_faults(const struct td_probes *p)
{
	size_t n;
	const struct td_set_status *status = td_probes_status(p, &n);

	for (size_t i = 0; i < n; i++)
		if (status[i].set == TD_SET_FAULTS && status[i].state != TD_SET_IMPOSSIBLE)
			return true;
	return false;
}

const char *td_mapped_unseen(const struct td_probes *p, char text[static TD_MAPPED_TEXT])
{
	char files[TD_UNITS_BUF], bytes[TD_UNITS_BUF];
	uint64_t nbytes, n = td_probes_mapped(p, &nbytes);

	*text = '\0';
	if (!n || has_faults(p))
		return text;
	td_format_count(files, sizeof(files), (int64_t)n);
	td_format_bytes(bytes, sizeof(bytes), (int64_t)nbytes);
	(void)snprintf(
		text, TD_MAPPED_TEXT,
		"files were mapped (%s, %s): what is read and written there is no call and is "
		"not recorded; set faults ('-e file_io,faults') counts its page faults, a lower "
		"bound",
		files, bytes);
	return text;
}
