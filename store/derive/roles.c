/* SPDX-License-Identifier: MIT */
#include "store/derive/roles.h"
#include "common/cleanup.h"
#include "schema/db.h"

/* In this order; each looks only at processes that still have no role. Of the sets that people make by
 * hand: workers = on a GPU, data loaders = reading much and not on a GPU. */
static const char *const rules[] = {
	"UPDATE process SET role = 'gpu-worker', role_basis = 'activity'"
	" WHERE role IS NULL AND id IN (SELECT t.process_id FROM track AS t"
	"  JOIN device AS d ON d.id = t.device_id"
	"  WHERE t.process_id IS NOT NULL AND d.kind = 'gpu'"
	"  UNION ALL SELECT s.process_id FROM op_stat AS s JOIN op AS o ON o.id = s.op_id"
	"  WHERE s.by = 'process,op' AND o.layer = 'cuda' AND o.verb IN ('launch', 'copy'))",
	"UPDATE process SET role = 'kernel', role_basis = 'activity'"
	" WHERE role IS NULL AND (pid = 0 OR name GLOB 'kworker/*' OR name GLOB 'swapper/*'"
	"  OR name GLOB 'ksoftirqd/*' OR name GLOB 'jbd2/*')",
	"UPDATE process SET role = 'data-loader', role_basis = 'activity'"
	" WHERE role IS NULL"
	"  AND EXISTS (SELECT 1 FROM process WHERE role = 'gpu-worker')"
	"  AND id IN (SELECT key_id FROM file_stat WHERE by = 'process,verb' AND verb = 'read'"
	"   AND done_bytes >= 1000000 AND done_bytes * 100 >="
	"    (SELECT sum(done_bytes) FROM file_stat WHERE by = 'process,verb' AND verb = 'read'))",
};

int td_derive_roles(sqlite3 *db, struct td_err *err)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rules); i++) {
		int rc = sqlite3_exec(db, rules[i], NULL, NULL, NULL);

		if (rc != SQLITE_OK)
			return td_db_error(db, rc, err, "cannot find the roles of processes");
	}
	return 0;
}
