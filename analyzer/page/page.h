/* SPDX-License-Identifier: MIT */
/* Pages that data is put into, made of the files here by embed.py: one part before the data, one behind it. */
#pragma once

#include "schema/sql.h"

/* Without elements in a program that was built without npm. */
extern const struct td_sql td_timeline_page[];
