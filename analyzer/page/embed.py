#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes one page of its parts, for the program to put data into.

usage: embed.py ARRAY OUTPUT.c PAGE.html PAGE.css PAGE.js [UPLOT.js UPLOT.css LICENSE]

Writes a C file with 'const struct td_sql ARRAY[]' (schema/sql.h): the page up to where the data stands, and what is behind it.
The page's security policy lets it run this script and use this style, which are named by their hashes, and nothing else.
Without uPlot the array has no elements."""

import base64
import hashlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'schema'))
from sql2c import c_string  # noqa: E402  pylint: disable=wrong-import-position

LITERAL_MAX = 1000


def source_of(text):
    """What a content security policy calls it."""
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page_of(paths):
    page, css, js, uplot_js, uplot_css, licence = (Path(path).read_text(encoding='utf-8') for path in paths)
    script = '/*\nuPlot\n\n%s*/\n%s\n%s' % (licence, uplot_js, js)
    style = uplot_css + '\n' + css
    assert '</script' not in script and '</style' not in style
    policy = "default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'" % (
        source_of(script), source_of(style))
    for name, text in (('POLICY', policy), ('STYLE', style), ('SCRIPT', script)):
        mark = '{{%s}}' % name
        assert page.count(mark) == 1, mark
        page = page.replace(mark, text)
    parts = page.split('{{DATA}}')
    assert len(parts) == 2
    return zip(('head', 'tail'), parts)


def literals(text):
    """In pieces: a line of a library that was made small is long."""
    for line in text.splitlines(keepends=True):
        for i in range(0, len(line), LITERAL_MAX):
            yield c_string(line[i:i + LITERAL_MAX])


def main():
    array, output, paths = sys.argv[1], sys.argv[2], sys.argv[3:]
    parts = page_of(paths) if len(paths) == 6 else ()
    with open(output, 'w', encoding='ascii') as out:
        out.write('/* Made by analyzer/page/embed.py; do not edit. */\n#include "analyzer/page/page.h"\n\n')
        out.write('const struct td_sql %s[] = {\n' % array)
        for name, text in parts:
            out.write('\t{ "%s",\n' % name)
            for literal in literals(text):
                out.write('\t  %s\n' % literal)
            out.write('\t},\n')
        out.write('\t{ 0 },\n};\n')


if __name__ == '__main__':
    main()
