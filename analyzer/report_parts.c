/* SPDX-License-Identifier: MIT */
/* What a report says that has been read: its parts by name, and its end. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/report_file.h"

const struct td_report_param *td_report_param(const struct td_report *rep, const char *name)
{
	for (size_t i = 0; i < rep->nparams; i++)
		if (strcmp(rep->params[i].name, name) == 0)
			return &rep->params[i];
	return NULL;
}

bool td_report_param_can(const struct td_report_param *param, const char *value)
{
	for (const char **v = param->values; v && *v; v++)
		if (strcmp(*v, value) == 0)
			return true;
	return !param->values;
}

const char *td_report_main_select(const struct td_report *rep)
{
	const char *with = strstr(rep->sql, "\nWITH"), *at = with ? strstr(with, "\nSELECT") : NULL;

	return at ? at + 1 : NULL;
}

void td_report_free(struct td_report *rep)
{
	if (!rep)
		return;
	for (size_t i = 0; i < rep->nparams; i++)
		free(rep->params[i].values);
	for (size_t i = 0; i < rep->nkept; i++)
		free(rep->kept[i]);
	free(rep->kept);
	free(rep->needs);
	free(rep->needs_any);
	free(rep->uses);
	free(rep->shell);
	free(rep->timed);
	free(rep->params);
	free(rep->columns);
	free(rep->text);
	free(rep->buf);
	free(rep);
}
