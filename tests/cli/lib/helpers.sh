# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What cases share; read with: . "$LIB"

# Ends the case: it cannot run here.
skip()
{
	echo "$*" >&2
	exit 77
}

# Runs a command that should fail and says with which status it did.
status()
{
	status=0
	"$@" || status=$?
	echo "exit $status"
}
