# SPDX-License-Identifier: MIT
# Puts the files of 'folder' that lines '.\" include FILE' name in the place of these lines.
function include(path,    line, got)
{
	while ((got = (getline line < path)) > 0)
		print line
	if (got < 0) {
		print "include.awk: cannot read " path > "/dev/stderr"
		exit 1
	}
	close(path)
}

/^\.\\" include / {
	include(folder "/" $3)
	next
}

{ print }
