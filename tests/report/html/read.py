# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads the pages of a report as a browser does, and compares them.
#   read.py lines HTML LCOV     each line and its count, as in lcov
#   read.py totals HTML JSON    each file's row, as in llvm-cov's summary
#   read.py todo HTML           the vectors to run: FILE LINE VALUES
#   read.py shown HTML          each decision: FILE LINE SHOWN CONDITIONS, and
#                               `missing` if pairs are not derived
#   read.py rest HTML           conditions that are not shown: FILE LINE WHY
#   read.py text HTML FILE      the code of a page, line by line
#   read.py next HTML           names of the functions to test next, in order
import glob
import html.parser
import json
import os
import re
import sys

VOID = {'meta', 'link', 'input', 'br'}


class Page(html.parser.HTMLParser):
    """Elements with their text, and where they are."""

    def __init__(self, name):
        super().__init__(convert_charrefs=True)
        self.open = []
        self.heading = ''
        self.lines = {}
        self.line = None
        self.rows = []
        self.cells = None
        self.vectors = []
        self.shown = []
        self.next = []
        with open(name, encoding='utf-8') as file:
            self.feed(file.read())
        self.close()
        if self.open:
            sys.exit(name + ': open at the end: ' + str(self.open))

    def inside(self, tag, name=None):
        return any(t == tag and (not name or name in a.get('class', '').split())
                   for t, a in self.open)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in VOID:
            return
        self.open.append((tag, attributes))
        if tag == 'tr' and attributes.get('id', '').startswith('L'):
            self.line = int(attributes['id'][1:])
            self.lines[self.line] = [None, '']
        if tag == 'tr':
            self.cells = [attributes.get('class', '')]
        if 'data-v' in attributes and self.inside('td', 'k'):
            self.lines[self.line][0] = int(attributes['data-v'])
        if tag in ('td', 'th') and self.cells is not None:
            self.cells.append(attributes.get('title') or '')
        if tag == 'p' and attributes.get('class') == 'mcdc':
            self.shown.append([self.line, ''])
        if tag == 'span' and attributes.get('class') == 'name':
            self.next.append('')

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            sys.exit('not nested: </%s> in %s' % (tag, self.open[-3:]))
        attributes = self.open.pop()[1]
        if tag == 'tr' and self.cells is not None:
            if self.inside('table', 'vectors'):
                self.vectors.append((self.line, self.cells))
            elif not self.inside('table', 'source'):
                self.rows.append(self.cells)
            self.cells = None
        del attributes

    def handle_data(self, data):
        tags = [t for t, a in self.open]
        if 'h1' in tags:
            self.heading += data
        if self.inside('td', 'c') and not self.inside('div', 'panel') and \
                not self.inside('span', 'mark'):
            self.lines[self.line][1] += data
        elif self.cells is not None and len(self.cells) > 1 and \
                not self.open[-1][1].get('title'):
            if not self.inside('td', 'score'):
                self.cells[-1] += data
        if self.shown and self.inside('p', 'mcdc'):
            self.shown[-1][1] += data
        if self.next and self.inside('span', 'name'):
            self.next[-1] += data


def pages(folder):
    found = {}
    for name in sorted(glob.glob(os.path.join(glob.escape(folder), '*.html'))):
        page = Page(name)
        if os.path.basename(name) not in ('index.html', 'functions.html'):
            if page.heading in found:
                sys.exit('two pages of ' + page.heading)
            found[page.heading] = page
    return found


def page_of(found, name):
    fits = [p for h, p in found.items()
            if name == h or name.endswith('/' + h)]
    if len(fits) != 1:
        sys.exit('%d pages of %s' % (len(fits), name))
    return fits[0]


def compare_lines(folder, lcov):
    found, count = pages(folder), 0
    expected = {}
    with open(lcov, encoding='utf-8') as file:
        for line in file.read().split('\n'):
            if line.startswith('SF:'):
                here = expected.setdefault(line[3:], {})
            elif line.startswith('DA:'):
                number, hits = line[3:].split(',')
                here[int(number)] = int(hits)
    for name, lines in expected.items():
        counted = {n: c for n, (c, t) in page_of(found, name).lines.items()
                   if c is not None}
        for number in sorted(set(lines) | set(counted)):
            if lines.get(number) != counted.get(number):
                sys.exit('%s:%d: %s, expected %s' % (
                    name, number, counted.get(number), lines.get(number)))
        count += len(lines)
    print(count, 'lines')
    return count


def compare_totals(folder, summary):
    index = Page(os.path.join(folder, 'index.html'))
    rows = {r[1]: r[2:] for r in index.rows if r[0] == 'file'}
    with open(summary, encoding='utf-8') as file:
        data = json.load(file)['data'][0]
    for one in data['files']:
        keys = ['functions', 'lines', 'branches', 'mcdc']
        if not data['totals'].get('mcdc', {}).get('count'):
            keys.pop()
        score = [one['summary'].get(k, {'count': 0}) for k in keys]
        expected = ['%d of %d' % (s['covered'], s['count']) if s['count']
                    else '' for s in score]
        fits = [r for n, r in rows.items()
                if one['filename'] == n or one['filename'].endswith('/' + n)]
        if not any(expected):
            continue
        if len(fits) != 1 or fits[0] != expected:
            sys.exit('%s: %s, expected %s' % (one['filename'], fits, expected))
    print(len(rows), 'files')
    return len(rows)


def main(what, folder, *rest):
    if what == 'lines':
        return compare_lines(folder, *rest) == 0
    if what == 'totals':
        return compare_totals(folder, *rest) == 0
    if what == 'next':
        print(*Page(os.path.join(folder, 'index.html')).next, sep='\n')
        return 0
    for name, page in pages(folder).items():
        if what == 'text' and name == rest[0]:
            for number in sorted(page.lines):
                print(page.lines[number][1])
        if what == 'todo':
            for line, cells in page.vectors:
                if cells[0] == 'todo':
                    values = ''.join({'T': '1', 'F': '0'}.get(c, '-')
                                     for c in cells[2:-1])
                    print(name, line, values)
        if what == 'rest':
            for line, cells in page.vectors:
                for why in cells[2:-1] if cells[0] == 'by' else []:
                    if not re.match(r'\d+, \d+$|yes$|constant$', why):
                        print(name, line, why)
        if what == 'shown':
            by = [c for c in page.vectors if c[1][0] == 'by']
            for (line, text), (_, cells) in zip(page.shown, by):
                words = text.split()
                missing = [c for c in cells if c in ('not derived', 'yes')]
                print(name, line, words[1], words[3],
                      'missing' if missing else 'derived')
    return 0


sys.exit(main(*sys.argv[1:]))
