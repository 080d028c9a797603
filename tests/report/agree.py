# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that the outputs of one report agree.
#   agree.py TOOL FOLDER...   for reports below FOLDER, from their profiles
#
# Without FULL, it takes one report of six. A report is made again with all
# outputs: the ELFs and options are in its evidence.json, the counts in its
# profiles. Then numbers are added up:
#   scores   table, index of the pages, lcov's sums, Markdown, JSON
#   lines    the pages' counts, lcov's DA, Cobertura, SonarQube, JSON's segments
#   branches lcov's BRDA, Cobertura, SonarQube
# Scores differ from sums of lines and branches where these are counted by
# functions (docs/get-started/reading-a-report.md): that is printed, and may not
# be in other places.
import collections
import concurrent.futures
import glob
import hashlib
import html
import json
import os
import re
import subprocess
import sys
import tempfile

FLAGS = {'--as-llvm-cov', '--no-demangle'}
VALUES = {'--root', '--include', '--ignore', '--source-map', '--exclusions',
          '--lines'}
JSON_MOST = 2 ** 63 - 1  # as llvm-cov writes counts
METRICS = 'functions', 'lines', 'regions', 'instructions', 'branches', 'mcdc'


class Wrong(Exception):
    """Two outputs that disagree."""


def same(what, *found):
    if any(one != found[0] for one in found[1:]):
        raise Wrong('%s: %s' % (what, ', '.join(map(str, found))))


# ---- a report again ----

def options_of(words):
    words = words[:words.index('--')] if '--' in words else words
    kept = ['--allow-missing', '--allow-changed']
    for at, word in enumerate(words):
        if word in FLAGS or word.split('=')[0] in VALUES and '=' in word:
            kept.append(word)
        elif word in VALUES:
            kept += words[at:at + 2]
    return kept


def again(tool, report, room, seen):
    """Makes a report again; None: its inputs are not there any more."""
    with open(report + '/evidence.json', encoding='utf-8') as file:
        evidence = json.load(file)
    profiles = sorted(glob.glob(glob.escape(report) + '/*.profraw')
                      + glob.glob(glob.escape(report) + '/*.trace'))
    elfs = [elf['file'] for elf in evidence['elfs']]
    options = options_of(evidence['command'])
    if any(name.endswith('.trace') for name in profiles):
        options.append('--object-code')
    if not profiles or not all(map(os.path.exists, elfs)):
        return None
    sums = [hashlib.sha256(open(p, 'rb').read()).digest() for p in profiles]
    key = str((sums, [e['sha256'] for e in evidence['elfs']], options))
    if key in seen:
        return 'seen'
    seen.add(key)
    outputs = {name: room + '/' + name for name in (
        'lcov', 'cobertura', 'sonarqube', 'markdown', 'json')}
    words = [tool, 'report', *elfs, *profiles, *options, '-o', room + '/made']
    for name, path in outputs.items():
        words += ['--' + name, path]
    done = subprocess.run(words, stdout=subprocess.PIPE, env=dict(
        os.environ, NO_COLOR='1'), stderr=subprocess.DEVNULL, check=False)
    if done.returncode:
        return None
    outputs['table'] = done.stdout.decode('utf-8', 'replace')
    outputs['html'] = room + '/made/html'
    return outputs


def text_of(path):
    with open(path, encoding='utf-8', errors='replace', newline='\n') as file:
        return file.read()


# ---- what outputs say: {name: ...} ----

File = collections.namedtuple('File', 'scores lines branches')


def lcov_of(path):
    """Scores of functions, lines, branches; lines; branches of each line."""
    found = {}
    for record in text_of(path).split('end_of_record\n')[:-1]:
        name, sums, lines, branches = '', {}, {}, {}
        for line in record.splitlines():
            key, _, value = line.partition(':')
            if key == 'SF':
                name = value
            elif key == 'DA':
                at, count = value.split(',')[:2]
                lines[int(at)] = int(count)
            elif key == 'BRDA':
                at, _, _, count = value.split(',')
                branches.setdefault(int(at), []).append(
                    count not in ('-', '0'))
            elif key in ('FNF', 'FNH', 'LF', 'LH', 'BRF', 'BRH'):
                sums[key] = int(value)
        found[name] = File([(sums[k + 'F'], sums[k + 'H']) for k in (
            'FN', 'L', 'BR')], lines, {
                at: (len(b), sum(b)) for at, b in branches.items()})
    return found


def cobertura_of(path):
    found = {}
    text = text_of(path)
    for part in text.split('<class ')[1:]:
        name = html.unescape(re.search(r'filename="([^"]*)"', part)[1])
        lines, branches = {}, {}
        for at, hits, of in re.findall(
                r'<line number="(\d+)" hits="(\d+)" branch="\w+"'
                r'(?: condition-coverage="\d+% \(([^)]*)\)")?',
                part.split('<lines>')[-1]):
            lines[int(at)] = int(hits)
            if of:
                hit, _, count = of.partition('/')
                branches[int(at)] = int(count), int(hit)
        found[name] = File(None, lines, branches)
    root = re.search(r'lines-covered="(\d+)" lines-valid="(\d+)" branches-'
                     r'covered="(\d+)" branches-valid="(\d+)"', text)
    sums = [0, 0, 0, 0]
    for one in found.values():
        sums[0] += sum(map(bool, one.lines.values()))
        sums[1] += len(one.lines)
        sums[2] += sum(b[1] for b in one.branches.values())
        sums[3] += sum(b[0] for b in one.branches.values())
    same("Cobertura's sums", list(map(int, root.groups())), sums)
    return found


def sonar_of(path):
    found = {}
    for part in text_of(path).split('<file path="')[1:]:
        name, _, rest = part.partition('"')
        lines, branches = {}, {}
        for at, hit, of, taken in re.findall(
                r'lineNumber="(\d+)" covered="(\w+)"(?: branchesToCover='
                r'"(\d+)" coveredBranches="(\d+)")?', rest):
            lines[int(at)] = hit == 'true'
            if of:
                branches[int(at)] = int(of), int(taken)
        found[html.unescape(name)] = File(None, lines, branches)
    return found


def markdown_of(path):
    rows = [line.split(' | ') for line in text_of(path).splitlines()
            if line.startswith('| ') and ' of ' in line]
    head = re.search(r'^\| \|(.*)\|$', text_of(path), re.M)
    names = [n.strip().lower().replace('/', '') for n in head[1].split('|')]
    found = {}
    for name, *cells in rows:
        numbers = [re.search(r'\((\d+) of (\d+)\)', c) for c in cells]
        found[html.unescape(name[2:])] = {
            metric: (int(n[2]), int(n[1])) if n else (0, 0)
            for metric, n in zip(names, numbers)}
    return found


def json_of(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        whole = json.load(file)
    data = whole['data'][0]
    not_known = {(one['compiled_as'], one['line']) for one in whole.get(
        'bareprof', {}).get('not_known', []) if one['of'] == 'lines'}

    def scores(summary):
        return {m: (summary[m]['count'], summary[m]['covered'])
                for m in METRICS if m in summary}

    # A part of an unknown line may be known: its segment has a count.
    def lines(one):
        return {at: 0 if (one['filename'], at) in not_known else count
                for at, count in lines_of(one['segments']).items()}
    # lcov writes a line end in a name in this form.
    found = {one['filename'].replace('\n', '\\n'): File(scores(one['summary']),
                                   lines(one), None)
             for one in data['files']}
    return found, scores(data['totals'])


def lines_of(segments):
    """Lines by their segments: the highest of what begins, and goes on."""
    by_line, found, wrapped = {}, {}, None
    for one in segments:
        by_line.setdefault(one[0], []).append(one)
    for line in range(segments[0][0] if segments else 0,
                      segments[-1][0] + 1 if segments else 0):
        here = by_line.get(line, [])
        begins = [s for s in here if s[3] and s[4]]
        skipped = here and not here[0][3] and here[0][4]
        if begins or (not skipped and wrapped and wrapped[3]):
            found[line] = max(
                [wrapped[2] if wrapped else 0]
                + [s[2] for s in begins if not (len(s) > 5 and s[5])])
        wrapped = here[-1] if here else wrapped
    return found


def index_of(folder):
    """Scores of functions, lines, branches, MC/DC of each page."""
    text = text_of(folder + '/index.html').partition('<h2>Files</h2>')[2]
    found = {}
    for row in text.split('</tr>\n'):
        link = re.search(
            r'<tr class="file"><th><a href="([^"]+)">(.*?)</a>', row)
        if link:
            shown = html.unescape(re.sub('<[^>]*>', '', link[2]))
            found[shown] = link[1], [
                (int(b), int(a)) if b else (0, 0) for a, b in re.findall(
                    r'<(?:td|span) class="score"(?: data-v="[0-9.]+" '
                    r'title="(\d+) of (\d+)")?>', row)]
    return found


def page_of(path):
    """The counts that a page shows; None: not known."""
    found, excluded = {}, set()
    for at, kind, rest in re.findall(
            r'<tr id="L(\d+)"(?: class="([^"]*)")?>(.*)', text_of(path)):
        count = re.search(r'<td class="k">(?:<span data-v="(\d+)"|(\?|<[^/]))',
                          rest)
        if 'x' in kind.split():
            excluded.add(int(at))
        elif count:
            found[int(at)] = int(count[1]) if count[1] else None
    return found, excluded


def table_of(text):
    """Misses by name, with the total as the last one."""
    rows, columns = {}, []
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ['functions', 'lines']:
            columns = [w.lower().replace('/', '') for w in words]
        end = re.search(r'((?: +(?:\d+\.\d\d|-) +(?:\d+|-)){%d})$'
                        % max(len(columns), 3), line)
        if columns and end:
            numbers = end[1].split()[1::2]
            rows.setdefault(line[:end.start()].strip(), []).append(
                {c: 0 if n == '-' else int(n)
                 for c, n in zip(columns, numbers)})
    return rows


# ---- comparisons ----

def of_name(listed, name):
    """What a list, which shortens names, has of one."""
    fits = [n for n in listed if n == name or name.endswith('/' + n)]
    # --source-map shows others, with the same base.
    fits = fits or [n for n in listed
                    if os.path.basename(n) == os.path.basename(name)][:1]
    return listed.get(max(fits, key=len, default=None))


def tabled(scores):
    """What the table has: misses, without the misses of regions."""
    return {m: count - covered for m, (count, covered) in scores.items()
            if m != 'regions' and count != covered}


def compare_file(name, made, known):
    outputs, table, index = made
    lcov, own = outputs['lcov'][name], outputs['json'][name]
    plain = name.isascii() and name.isprintable() and not set('\\*') & set(name)
    scores = own.scores
    same('lcov\'s sums, JSON', lcov.scores,
         [scores[m] for m in ('functions', 'lines', 'branches')])
    empty = not any(scores[m][0] for m in (
        'functions', 'lines', 'regions', 'instructions') if m in scores)
    marks = of_name(outputs['markdown'], name)
    if marks and plain:
        same('Markdown, JSON', {m: s for m, s in scores.items() if s[0]},
             {m: s for m, s in marks.items() if s[0]})
    rows = of_name(table, name)
    if rows and plain and not empty and len(rows) == 1:
        same('table, JSON', tabled(scores),
             {m: n for m, n in rows[0].items() if n})
    page = of_name(index, name)
    if page:
        same('index, JSON', page[1][:3],
             [scores[m] for m in ('functions', 'lines', 'branches')])
        counts, excluded = page_of(outputs['html'] + '/' + page[0])
        shown = {at: 0 if c is None else c for at, c in counts.items()}
        wanted = {at: c for at, c in lcov.lines.items() if at not in excluded}
        if shown:  # else its source is missing
            same("lines of the page, lcov's", shown, wanted)
    same("lines of JSON's segments, lcov's", own.lines,
         {at: min(c, JSON_MOST) for at, c in lcov.lines.items()})
    for what in 'cobertura', 'sonarqube':
        other = of_name(outputs[what], name)
        if not other and plain and (lcov.lines or lcov.branches):
            raise Wrong(what + ' lacks it')
        if not other:
            continue
        lines = lcov.lines
        if what == 'sonarqube':
            lines = {at: c > 0 for at, c in lines.items()}
        same("lines of %s, lcov's" % what, other.lines, lines)
        same("branches of %s, lcov's" % what, other.branches, {
            at: b for at, b in lcov.branches.items() if at in lines})
    hits = sum(map(bool, lcov.lines.values()))
    known['lines'] += scores['lines'] != (len(lcov.lines), hits)
    branches = lcov.branches.values()
    known['branches'] += scores['branches'] != (
        sum(b[0] for b in branches), sum(b[1] for b in branches))
    known['sources'] += 1


def compare(made, known):
    table = table_of(made['table'])
    outputs = dict(made, lcov=lcov_of(made['lcov']),
                   cobertura=cobertura_of(made['cobertura']),
                   sonarqube=sonar_of(made['sonarqube']),
                   markdown=markdown_of(made['markdown']))
    outputs['json'], totals = json_of(made['json'])
    index = index_of(made['html'])
    same('sources of lcov, JSON', sorted(outputs['lcov']),
         sorted(outputs['json']))
    for metric in totals:
        same('total of ' + metric, totals[metric], tuple(
            sum(one.scores[metric][i] for one in outputs['json'].values())
            for i in (0, 1)))
    same('total of Markdown', {m: s for m, s in totals.items() if s[0]},
         {m: s for m, s in outputs['markdown']['total'].items() if s[0]})
    same('total of the table', tabled(totals),
         {m: n for m, n in table['total'][-1].items() if n})
    for name in outputs['lcov']:
        try:
            compare_file(name, (outputs, table, index), known)
        except Wrong as wrong:
            raise Wrong('%s: %s' % (name, wrong)) from wrong


def one_report(tool, report, seen):
    known = collections.Counter()
    with tempfile.TemporaryDirectory() as room:
        made = again(tool, report, room, seen)
        known['gone' if made is None else 'twice' if made == 'seen'
              else 'reports'] += 1
        try:
            if isinstance(made, dict):
                compare(made, known)
        except Wrong as wrong:
            return known, '%s: %s' % (report, wrong)
    return known, None


def main(tool, *folders):
    # Not by glob, which follows links: a folder of wine has one to /.
    reports = sorted(
        path for folder in folders for path, _, names in os.walk(folder)
        if '.bareprof-report' in names)
    reports = [r for r in reports if os.path.exists(r + '/evidence.json')]
    if not os.environ.get('FULL') and len(reports) > 9:
        reports = reports[::6]
    known, wrongs, seen = collections.Counter(), [], set()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for counts, wrong in pool.map(
                lambda report: one_report(tool, report, seen), reports):
            known += counts
            wrongs += [wrong] if wrong else []
    print('%d reports of %d sources; of functions, not lines: lines of %d, '
          'branches of %d; %d again, %d without their inputs' % tuple(
              known[k] for k in ('reports', 'sources', 'lines', 'branches',
                                 'twice', 'gone')))
    for wrong in wrongs[:5]:
        print(wrong[:600])
    return 1 if wrongs else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
