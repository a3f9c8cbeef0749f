/* SPDX-License-Identifier: MIT */
/* Functions that made trouble elsewhere become compile errors here (the idea is git's banned.h). */
#pragma once

#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol atoll atof sscanf gmtime        \
	localtime ctime asctime
