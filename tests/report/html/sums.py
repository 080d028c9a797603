# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the gaps that pages show add up to the table.
#   sums.py FOLDER...     of the reports in FOLDER/html; their tables are in
#                         FOLDER.said
#
# For each source: red lines, red sides of branches and red conditions on its
# page, next to the row of the index, the head of the page, functions.html and
# the table. Of instantiations the table counts the best one, or what ran in
# one of them; their panel says that number, which counts here instead of what
# is below.
#
# FOLDER.llvm.json, if it is there, is llvm-cov's export, and FOLDER.llvm.info
# its lcov: others' numbers. With FOLDER.llvm.constants they count sides that
# cannot be.
import collections
import functools
import glob
import html
import json
import os
import re
import sys

# The names of branch sides: the last two are a switch's.
SIDE = 'true|false|a case matched|no case matched'
# Text is escaped, so each `<` begins a tag.
TOKEN = re.compile(
    r'<tr id="L(?P<line>\d+)"(?: class="(?P<class>[^"]*)")?>'
    r'|<td class="k">(?:<span data-v="(?P<count>\d+)")?'
    r'|(?P<hole><mark>)'
    r'|<p>(?P<forms>\d+) instantiations? of '
    r'|<td class="bad">(?P<side>' + SIDE + r')[ :]'
    r'|<td>(?:' + SIDE + r')[ :]'
    r'|<td class="const">never (?P<constant>' + SIDE + r'):'
    r'|<p class="mcdc"><b>MC/DC</b> (?P<shown>\d+) of (?P<all>\d+) conditions? '
    r'shown(?P<where>[^<]*)'
    r'|<tr class="by">(?P<by>.*)'
    r'|(?P<regions>\d+) of \d+ regions never ran'
    r'|>(?P<few>\d+) of (?P<of>\d+) (?P<what>branches|conditions) missing'
    r'|In the totals, (?P<rule>the best of each number|what ran in one of '
    r'them) counts: (?P<branches>\d+) '
    r'branch(?:es)?(?:, (?P<conditions>\d+) conditions?)? missing')
FUNCTION = re.compile(
    r'<tr><th scope="row"><a href="#L(\d+)"><code>.*?</code></a></th><td>'
    r'<span data-v="'
    r'\d+">[^<]*</span></td><td(?: class="bad")?>(\d+)</td>'
    r'<td(?: class="bad")?>(\d+)</td></tr>')
ANYWHERE = re.compile(
    r'<tr><th(?: scope="row")?><a href="([^"#]+)#L(\d+)">.*?<td(?: class="bad")?><span [^>]*>'
    r'[^<]*</span></td>((?:<td(?: class="bad")?>\d+</td>)+)<td class="step">')
SCORE = re.compile(
    r'<(?:td|span) class="score"(?: data-v="[0-9.]+" '
    r'title="(\d+) of (\d+)")?>')
FILE = re.compile(r'<tr class="file"><th><a href="([^"]+)">(.*?)</a>')

LINES, BRANCHES, MCDC = 'lines', 'branches', 'MC/DC'


class Wrong(Exception):
    """A sum that is not right."""


def same(what, expected, found):
    if expected != found:
        raise Wrong('%s: %s, expected %s' % (what, found, expected))


def scores(text):
    """Covered and count of functions, lines, branches, MC/DC."""
    return [(int(a), int(b)) if b else (0, 0) for a, b in SCORE.findall(text)]


class Page:
    """What a page shows as missing."""

    def __init__(self, name):
        with open(name, encoding='utf-8', newline='\n') as file:
            text = file.read()
        head, _, rest = text.partition('<main id="main">')
        self.head = scores(head)
        if not rest:
            raise Wrong(name + ': no <main>')
        listed, _, code = rest.partition('<table class="source">')
        if not code:
            listed, code = '', rest
        self.functions = [tuple(map(int, f)) for f in FUNCTION.findall(listed)]
        self.alert = 'class="alert"' in listed
        self.counts = {}
        self.red = self.sides = self.constants = self.none = 0
        self.plain = self.decided = self.macros = self.in_forms = 0
        self.forms = {}
        self.read(code)

    def read(self, code):
        line = shown = form = None
        kind, lacks = [], set()
        now = {'constant': None}
        for token in TOKEN.finditer(code):
            before, now = now['constant'], token.groupdict()
            if now['line']:
                self.yellow(line, kind, lacks)
                line, kind = int(now['line']), (now['class'] or '').split()
                lacks = set()
                self.red += 'no' in kind
            elif now['hole']:
                lacks.add('a part')
            elif token[0].startswith('<td class="k">'):
                if now['count']:
                    self.counts[line] = int(now['count'])
                excluded = 'x' in kind
                same('line %d is red' % line, 'no' in kind,
                     now['count'] == '0' and not excluded)
            elif now['forms']:
                form = self.forms[line] = {'branches': [], 'conditions': []}
            elif now['what']:
                form[now['what']].append((int(now['of']), int(now['few'])))
            elif now['branches']:
                for what in 'branches', 'conditions':
                    if now[what] is None:
                        continue
                    most = max(all for all, few in form[what])
                    best = max(all - few for all, few in form[what])
                    missed = int(now[what])
                    if now['rule'].startswith('the best'):
                        same('line %d: best of %s' % (line, what), most - best,
                             missed)
                    form['best ' + what] = missed
            elif now['side']:
                self.sides += 1
                lacks.add('a side')
            elif now['constant']:
                self.constants += 1
                # llvm-cov's exports omit branches without any side.
                self.none += (before, now['constant']) in (
                    ('true', 'false'), ('a case matched', 'no case matched'))
            elif now['shown']:
                shown = int(now['all']) - int(now['shown']), now['where']
            elif now['by']:
                red = now['by'].count('<td class="bad">')
                same('line %d: conditions' % line, shown[0], red)
                self.decided += red
                if red:
                    lacks.add('a condition')
                if 'totals' in shown[1]:
                    self.macros += red
                elif 'instantiations' in shown[1]:
                    self.in_forms += red
                else:
                    self.plain += red
        self.yellow(line, kind, lacks)

    def yellow(self, line, kind, lacks):
        """A line that ran is yellow if something in it lacks."""
        if 'part' in kind and not lacks:
            raise Wrong('line %d is yellow for nothing' % line)
        # Parts that are only brackets are marked, but do not count as missing.
        if 'yes' in kind and lacks - {'a part'}:
            raise Wrong('line %d lacks %s and is green' % (line, lacks))

    def missing(self):
        """Branches and conditions as the table counts them."""
        branches = sum(f[2] for f in self.functions if f[0] not in self.forms)
        conditions = self.plain
        for form in self.forms.values():
            branches += form['best branches']
            conditions += form.get('best conditions', 0)
        return branches, conditions


# ---- the other places of the same numbers ----

def table_of(said):
    """The misses of each row of a table, by its name; of total, the last."""
    rows, columns = {}, []
    with open(said, encoding='utf-8', errors='replace') as file:
        for text in file:
            words = text.split()
            if words[:2] == ['functions', 'lines']:
                columns = words
            end = re.search(r'((?: +(?:\d+\.\d\d|-) +(?:\d+|-)){%d})$'
                            % max(len(columns), 3), text.rstrip())
            if columns and end:
                numbers = end.group(1).split()[1::2]
                rows.setdefault(text[:end.start()].strip(), []).append(
                    {c: 0 if n == '-' else int(n)
                     for c, n in zip(columns, numbers)})
    return rows


def lcov_of(name):
    """Lines that lcov counts 0, and those that its summary misses."""
    found = collections.defaultdict(lambda: [0, 0])
    with open(name, encoding='utf-8') as file:
        for text in file:
            key, _, value = text.rstrip('\n').partition(':')
            if key == 'SF':
                here = found[value]
            elif key == 'DA':
                here[0] += value.split(',')[1] == '0'
            elif key in ('LF', 'LH'):
                here[1] += int(value) if key == 'LF' else -int(value)
    return found


def of_file(listed, shown):
    fits = [v for n, v in listed.items()
            if n == shown or n.endswith('/' + shown)]
    return fits[0] if len(fits) == 1 else None


def path_of(function, sites, file):
    """Where an expansion is, from outside, and the file of the first one."""
    path = []
    while file in sites:
        region = sites[file]
        path.insert(0, tuple(region[:2]))
        file = region[5]
    return tuple(path), function['filenames'][file]


def sides_of(data):
    """Sides of each file that no instantiation took."""
    taken = {}
    for function in data['functions']:
        regions = function['regions']
        sites = {r[6]: r for r in regions if r[7] == 1}
        start, name = path_of(function, sites, regions[0][5])
        start = start[0] if start else tuple(regions[0][:2])
        again = collections.Counter()
        for branch in function['branches']:
            path, _ = path_of(function, sites, branch[6])
            key = name, start, path, function['filenames'][branch[6]], \
                tuple(branch[:4])
            # All conditions in a macro's argument are shown at its parameter.
            again[key] += 1
            key += again[key],
            old = taken.get(key, (False, False))
            taken[key] = (old[0] or branch[4] > 0, old[1] or branch[5] > 0)
    found = collections.Counter()
    for key, sides in taken.items():
        found[key[0]] += 2 - sum(sides)
    return found


@functools.lru_cache(maxsize=1)
def llvm_of(folder):
    """llvm-cov's summaries, sides that never came, and lcov, by file."""
    with open(folder + '.llvm.json', encoding='utf-8') as file:
        data = json.load(file)['data'][0]
    lcov = folder + '.llvm.info'
    return ({f['filename']: f['summary'] for f in data['files']},
            sides_of(data), lcov_of(lcov) if os.path.exists(lcov) else None)


def compare_llvm(folder, shown, page, missed, differ):
    """Lines, branches and conditions of llvm-cov."""
    summaries, never, lcovs = llvm_of(folder)
    summary, lcov = of_file(summaries, shown), None
    if lcovs is not None:
        lcov = of_file(lcovs, shown)
        same('red lines next to llvm-cov\'s DA', lcov and lcov[0], page.red)
    if not summary:
        raise Wrong('llvm-cov has no such file')
    sides = of_file(never, shown) or 0
    same('sides that no instantiation took, next to llvm-cov\'s', sides,
         page.sides + page.constants - 2 * page.none)
    keys = {'lines': 0, 'branches': 1, 'mcdc': 2}
    for key, at in keys.items():
        score = summary.get(key, {'count': 0, 'covered': 0})
        # Up to 18, an impossible side counts: see
        # docs/get-started/reading-a-report.md.
        if key == 'branches' and differ:
            continue
        same(key + ' next to llvm-cov\'s', score['count'] - score['covered'],
             missed[at])
    # Lines of the page that llvm-cov's own summary does not count.
    return lcov[0] - lcov[1] if lcov else page.red - missed[0]


def functions_of(folder):
    """Lines, branches, conditions missing of each page, from functions.html."""
    found = collections.defaultdict(list)
    with open(folder + '/html/functions.html', encoding='utf-8') as file:
        for page, line, cells in ANYWHERE.findall(file.read()):
            found[page].append([int(line)] + [
                int(n) for n in re.findall(r'>(\d+)<', cells)])
    return found


# ---- a report ----

class Sums(collections.Counter):
    """What was compared."""


def compare_page(folder, name, row, all_functions, sums):
    page = Page(folder + '/html/' + name)
    same('the head', row, page.head)
    missed = [b - a for a, b in row[1:]] + [0] * (4 - len(row))
    same('functions of functions.html', len(page.functions),
         len(all_functions))
    same('lines and branches of functions',
         sorted(page.functions), sorted(tuple(f[:3]) for f in all_functions))
    same('branches of functions', page.sides, sum(f[2] for f in page.functions))
    if len(row) > 3:
        same('conditions of functions', page.decided,
             sum(f[3] for f in all_functions))
    branches, conditions = page.missing()
    same('branches', missed[1], branches)
    same('conditions', missed[2], conditions)
    if not page.forms:
        same('branches on the page', missed[1], page.sides)
        same('conditions on the page', missed[2], page.decided - page.macros)
    sums.update(files=1, lines=page.red, sides=page.sides,
                conditions=page.decided, constants=page.constants,
                forms=len(page.forms), macros=page.macros,
                apart=page.red != missed[0])
    return page, missed


def compare_report(folder, sums):
    with open(folder + '/html/index.html', encoding='utf-8') as file:
        index = file.read().partition('<h2>Files</h2>')[2]
    functions = functions_of(folder)
    table = table_of(folder + '.said') if os.path.exists(
        folder + '.said') else {}
    total = [0, 0, 0]
    pages = set()
    for row in index.split('</tr>\n'):
        link = FILE.search(row)
        if not link:
            continue
        name, shown = link[1], html.unescape(re.sub('<[^>]*>', '', link[2]))
        try:
            page, missed = compare_page(folder, name, scores(row),
                                        functions.pop(name, []), sums)
            pages.add(name)
            beyond = 0
            if os.path.exists(folder + '.llvm.json'):
                beyond = compare_llvm(folder, shown, page, missed,
                                      os.path.exists(folder + '.llvm.constants'))
                sums['llvm'] += 1
                same('red lines beyond the table\'s', beyond,
                     page.red - missed[0])
            for line in table.get(shown, [])[:1]:
                same('the table', missed, [line.get(c, 0) for c in (
                    LINES, BRANCHES, MCDC)])
                sums['rows'] += 1
        except Wrong as wrong:
            raise Wrong('%s: %s: %s' % (folder, shown, wrong)) from wrong
        total = [a + b for a, b in zip(total, missed)]
    same(folder + ': pages without a row', [], [p for p, f in functions.items()
                                                if any(map(any, f))])
    if table.get('total'):
        same(folder + ': total', total, [table['total'][-1].get(c, 0) for c in (
            LINES, BRANCHES, MCDC)])
    sums['reports'] += 1


def main(folders):
    sums = Sums()
    for folder in folders:
        if os.path.exists(folder + '/html/index.html'):
            try:
                compare_report(folder, sums)
            except Wrong as wrong:
                sys.exit(str(wrong))
    print(', '.join('%s %d' % one for one in sorted(sums.items())))
    return not sums['files']


sys.exit(main(sys.argv[1:]))
