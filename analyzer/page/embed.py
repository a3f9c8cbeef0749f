#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes one page of its parts, for the program to put data into.

usage: embed.py ARRAY OUTPUT.c [PAGE.html FILE...]

FILES are styles (.css), scripts (.js), in their order, and licences of what is among them. Writes a C file with
'const struct td_sql ARRAY[]' (schema/sql.h): the stretches of the page between the places where data stands, {{TABLES}} and {{DATA}}.
The page's security policy lets it run this script and use this style, which are named by their hashes, and nothing else.
Without a page the array has no elements."""

import base64
import hashlib
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'schema'))
from sql2c import c_string  # noqa: E402  pylint: disable=wrong-import-position

LITERAL_MAX = 1000


def source_of(text):
    """What a content security policy calls it."""
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def joined(paths, suffix):
    return '\n'.join(Path(path).read_text(encoding='utf-8') for path in paths if Path(path).suffix == suffix)


def page_of(page, *paths):
    """Its stretches."""
    licences = ''.join('/*\n%s\n\n%s*/\n' % (Path(path).parent.name, Path(path).read_text(encoding='utf-8'))
                       for path in paths if Path(path).suffix == '')
    script, style = licences + joined(paths, '.js'), joined(paths, '.css')
    assert '</script' not in script and '</style' not in style
    policy = "default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'" % (
        source_of(script), source_of(style))
    text = Path(page).read_text(encoding='utf-8')
    for name, part in (('POLICY', policy), ('STYLE', style), ('SCRIPT', script)):
        mark = '{{%s}}' % name
        assert text.count(mark) == 1, mark
        text = text.replace(mark, part)
    return re.split('{{TABLES}}|{{DATA}}', text)


def literals(text):
    """In pieces: a line of a library that was made small is long."""
    for line in text.splitlines(keepends=True):
        for i in range(0, len(line), LITERAL_MAX):
            yield c_string(line[i:i + LITERAL_MAX])


def main():
    array, output, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    parts = page_of(*paths) if paths else ()
    with open(output, 'w', encoding='ascii') as out:
        out.write('/* Made by analyzer/page/embed.py; do not edit. */\n#include "analyzer/page/page.h"\n\n')
        out.write('const struct td_sql %s[] = {\n' % array)
        for i, text in enumerate(parts):
            out.write('\t{ "%d",\n' % i)
            for literal in literals(text):
                out.write('\t  %s\n' % literal)
            out.write('\t},\n')
        out.write('\t{ 0 },\n};\n')


if __name__ == '__main__':
    main()
