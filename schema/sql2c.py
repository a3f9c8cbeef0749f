#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Embeds SQL files: sql2c.py ARRAY OUTPUT FILE... writes a C file with 'const struct td_sql ARRAY[]'
(schema/sql.h) that holds name (without folder and .sql, or .txt) and text of each file, in the order given."""

import os
import sys


def c_string(line):
    """One line of text as a C string literal; bytes beyond ASCII in octal, which never runs on."""
    out = []
    for byte in line.encode("utf-8"):
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif char == "\n":
            out.append("\\n")
        elif char == "?" or not 32 <= byte < 127:
            out.append("\\%03o" % byte)
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def main():
    array, output, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(output, "w", encoding="ascii") as out:
        out.write("/* Made by schema/sql2c.py; do not edit. */\n")
        out.write('#include "schema/sql.h"\n\n')
        out.write("extern const struct td_sql %s[];\n\n" % array)
        out.write("const struct td_sql %s[] = {\n" % array)
        for path in files:
            name = os.path.splitext(os.path.basename(path))[0]
            out.write("\t{ %s,\n" % c_string(name))
            with open(path, encoding="utf-8", newline="") as text:
                for line in text:
                    out.write("\t  %s\n" % c_string(line))
            out.write("\t  \"\" },\n")
        out.write("\t{ 0 },\n};\n")


if __name__ == "__main__":
    main()
