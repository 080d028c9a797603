# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes random decisions whose operators stand in macros: the program's own, a
# system header's, in arguments, negated, nested.
#   decide.py generate SEED COUNT FOLDER    decide.c, sys/decide.h
#   decide.py check SEED COUNT FOLDER       prints what is wrong in report.json
# The program logs the value of each condition and the outcome (FOLDER/log), so
# vectors and counts are known without a profile. A decision or branch that the
# report marks as unknown or not measured is not wrong.
import collections
import itertools
import json
import random
import sys

OWN = r'''#define BOTH(a, b) ((a) && (b))
#define EITHER(a, b) ((a) || (b))
#define NONE(a, b) (!((a) || (b)))
#define NOT_ALL(a, b) !BOTH(a, b)
#define TWICE(a, b) EITHER(BOTH(a, b), b)
#define SAME(x) (x)
#define UNLESS(x) !(x)
#define BARE(x) !x
#define IS(x) ((x) == 1)
#define AND &&
#define OR ||
#define NOT !
#define CHECK(k, x) \
  do { if (!(x)) return done(k, 0); return done(k, 1); } while (0)
#define GIVE(k, x) return done(k, SAME(x))
'''
SYSTEM = r'''#define SYS_BOTH(a, b) ((a) && (b))
#define SYS_EITHER(a, b) ((a) || (b))
#define SYS_NONE(a, b) (!((a) || (b)))
#define SYS_SAME(x) (x)
#define SYS_UNLESS(x) (!(x))
#define SYS_IS(x) ((x) == 1)
#define SYS_MASK(x) ((unsigned)(x) & 1u)
#define SYS_CHECK(k, x) \
  do { if (!(x)) return done(k, 0); return done(k, 1); } while (0)
'''


class Node:
    """A part of a decision: its text, and its value by those of conditions."""

    def __init__(self, kind, parts, text, system=False):
        self.kind, self.parts, self.text = kind, parts, text
        self.system = system    # a macro of a system header, so one branch

    def value(self, seen):
        if self.kind == 'leaf':
            return seen[self.parts[0]] == '1'
        if self.kind == 'not':
            return not self.parts[0].value(seen)
        if self.kind == 'same':
            return self.parts[0].value(seen)
        a = self.parts[0].value(seen)
        if a != (self.kind == 'and'):
            return a
        return self.parts[1].value(seen)

    def reached(self, seen):
        """Whether its first condition was evaluated."""
        node = self
        while node.kind != 'leaf':
            node = node.parts[0]
        return seen[node.parts[0]] != '-'

    def compound(self):
        return self.kind in ('and', 'or') or \
            self.kind != 'leaf' and self.parts[0].compound()


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.own, self.system = [], []

    def leaf(self):
        number = self.number
        self.number += 1
        text = 'c(%d)' % number
        node = Node('leaf', [number], text)
        how = self.random.randrange(14)
        if how < 5:
            return node
        if how < 7:
            return Node('not', [node], '!' + text)
        one = self.random.choice(
            [('same', 'IS(%s)', False), ('same', 'SYS_IS(%s)', True),
             ('same', 'SYS_MASK(%s)', True), ('same', 'SAME(%s)', False),
             ('same', 'SYS_SAME(%s)', True), ('not', 'UNLESS(%s)', False),
             ('not', 'SYS_UNLESS(%s)', True), ('not', 'BARE(%s)', False),
             ('same', '(%s != 0)', False), ('not', 'NOT %s', False)])
        return Node(one[0], [node], one[1] % text, one[2])

    def negate(self, node):
        form = self.random.choice(['!(%s)'] * 4 + ['UNLESS(%s)', 'NOT (%s)',
                                                   'BARE((%s))',
                                                   'SYS_UNLESS(%s)'])
        return Node('not', [node], form % node.text, form[0] == 'S')

    def part(self, size):
        if size == 1:
            return self.leaf()
        left = self.random.randrange(1, size)
        a = self.part(left)
        b = self.part(size - left)
        kind = self.random.choice(['and', 'or'])
        word = {'and': 'BOTH', 'or': 'EITHER'}[kind]
        sign = {'and': '&&', 'or': '||'}[kind]
        name = {'and': 'AND', 'or': 'OR'}[kind]
        how = self.random.randrange(20)
        if how < 9:
            node = Node(kind, [a, b], '(%s %s %s)' % (a.text, sign, b.text))
        elif how < 12:
            node = Node(kind, [a, b], '%s(%s, %s)' % (word, a.text, b.text))
        elif how < 14:
            node = Node(kind, [a, b],
                        'SYS_%s(%s, %s)' % (word, a.text, b.text), True)
        elif how == 14:
            node = Node(kind, [a, b], '(%s %s %s)' % (a.text, name, b.text))
        elif how == 15:
            inner = Node('or', [a, b], '')
            system = self.random.randrange(2)
            node = Node('not', [inner], '%sNONE(%s, %s)' % (
                'SYS_' if system else '', a.text, b.text), bool(system))
        elif how == 16:
            inner = Node('and', [a, b], '')
            node = Node('not', [inner], 'NOT_ALL(%s, %s)' % (a.text, b.text))
        elif how == 17:
            form = self.random.choice(['SAME', 'SYS_SAME'])
            node = Node(kind, [a, b],
                        '%s(%s %s %s)' % (form, a.text, sign, b.text),
                        form[1] == 'Y')
        else:
            system = how == 18
            name = 'READY_%d' % (len(self.own) + len(self.system))
            name = 'SYS_' + name if system else name
            (self.system if system else self.own).append(
                '#define %s (%s %s %s)\n' % (name, a.text, sign, b.text))
            node = Node(kind, [a, b], name, system)
        return self.negate(node) if self.random.randrange(5) == 0 else node

    def decision(self, k):
        self.number = 0
        node = self.part(self.random.choice([2, 3, 3, 3, 4, 4, 5, 6]))
        form = self.random.choice(
            ['if (%s) return done(K, 1); return done(K, 0);',
             'return done(K, %s);', 'int r = %s; return done(K, r);',
             'return %s ? done(K, 1) : done(K, 0);', 'CHECK(K, %s);',
             'GIVE(K, %s);', 'if (!(%s)) return done(K, 0); '
             'return done(K, 1);', 'SYS_CHECK(K, %s);'])
        text = form.replace('K', str(k), 2 if 'CHECK' not in form else 0)
        if 'CHECK' in form:
            text = form.replace('(K', '(%d' % k)
        calls = [self.random.randrange(1 << self.number)
                 for _ in range(self.random.choice([1, 2, 3, 5, 8, 13]))]
        return node, 'int d%d(void) { %s }\n' % (k, text % node.text), calls, \
            '!(' in form or 'CHECK' in form

    def all(self, count):
        return [self.decision(k) for k in range(count)]


def generate(seed, count, folder):
    maker = Maker(seed)
    made = maker.all(count)
    with open(folder + '/sys/decide.h', 'w') as file:
        file.write(SYSTEM + ''.join(maker.system))
    with open(folder + '/decide.c', 'w') as file:
        file.write('#include <decide.h>\n'
                   'int c(int), done(int, int);\nvoid start(unsigned);\n' +
                   OWN + ''.join(maker.own))
        file.write(''.join(text for _, text, _, _ in made))
        file.write('int main(void) {\n')
        for k, (_, _, calls, _) in enumerate(made):
            for bits in calls:
                file.write('  start(%d); d%d();\n' % (bits, k))
        file.write('  return 0;\n}\n')


# ---- what is right ----

def strip(node):
    """A decision begins at its topmost operator."""
    while node.kind in ('not', 'same'):
        node = node.parts[0]
    return node


def leaves(node):
    """The conditions of a decision: what no && and || joins."""
    if node.kind in ('and', 'or'):
        return leaves(node.parts[0]) + leaves(node.parts[1])
    if node.compound():
        return leaves(node.parts[0])
    return [node]


def branches(node):
    """What may be a branch: conditions, macros of the system header, and what
    is negated in them."""
    found = [node]
    if node.kind != 'leaf':
        for part in node.parts:
            found += branches(part)
    return found


def counts(node, log):
    true = sum(1 for seen in log if node.reached(seen) and node.value(seen))
    every = sum(1 for seen in log if node.reached(seen))
    return true, every - true


def rows(root, log):
    """The vectors of a decision with their results."""
    conditions = leaves(root)
    return set(tuple('-' if not one.reached(seen) else int(one.value(seen))
                     for one in conditions) + (int(root.value(seen)),)
               for seen in log)


def shown(vectors, which):
    """Whether two vectors differ in a condition and in the result alone."""
    for a, b in itertools.combinations(vectors, 2):
        if a[-1] != b[-1] and a[which] != b[which] and \
                '-' not in (a[which], b[which]) and all(
                    i == which or a[i] == b[i] or '-' in (a[i], b[i])
                    for i in range(len(a) - 1)):
            return True
    return False


def judged(record):
    """Vectors and covered conditions of a record of the export."""
    covered, *vectors = [part for part in record if isinstance(part, list)]
    if not vectors:     # before release 22
        return covered, None
    words = {True: 1, False: 0, None: '-'}
    return covered, set(
        tuple(words[value] for value in one['conditions']) +
        (int(one['result']),) for one in vectors[0])


def same(root, log, record):
    """Whether a record is that of a decision, whatever the order of its
    conditions."""
    covered, vectors = judged(record)
    expected = rows(root, log)
    size = len(leaves(root))
    if len(covered) != size:
        return False
    for order in itertools.permutations(range(size)):
        if set(tuple(row[i] for i in order) + row[-1:] for row in expected) \
                == (vectors if vectors is not None else set(
                    tuple(row[i] for i in order) + row[-1:]
                    for row in expected)) and \
                all(covered[i] == shown(expected, order[i])
                    for i in range(size)):
            return True
    return False


def check(seed, count, folder):
    made = Maker(seed).all(count)
    logs = collections.defaultdict(list)
    with open(folder + '/log') as file:
        for line in file:
            k, outcome, seen = line.split()
            logs[int(k)].append(seen)
            if made[int(k)][0].value(seen) != (outcome == '1'):
                print('the oracle is wrong: d' + k)
    with open(folder + '/report.json') as file:
        export = json.load(file)
    listed = collections.Counter(
        (one['line'], one.get('of', 'mcdc'))
        for name in ('not_known', 'not_measured')
        for one in export['bareprof'].get(name, []))
    functions = {one['name']: one for one in export['data'][0]['functions']}
    numbers = collections.Counter()
    for k, (node, text, _, turned) in enumerate(made):
        one = functions['d%d' % k]
        line = min(region[0] for region in one['regions']
                   if region[5] == 0)
        log = logs[k]
        wrong = []
        records = one.get('mcdc_records', [])
        if listed[line, 'mcdc']:
            numbers['listed'] += 1
        elif not records:
            numbers['absent'] += 1
        elif len(records) == 1 and same(strip(node), log, records[0]):
            numbers['right'] += 1
        else:
            wrong.append('MC/DC %s' % [judged(one) for one in records])
        expected = collections.Counter(counts(part, log)
                                       for part in branches(node))
        found = collections.Counter()
        for branch in one['branches']:
            # A macro of one of the system header has no use.
            if not listed[branch[0], 'branches']:
                found[branch[4], branch[5]] += 1
        if listed[line, 'branches']:    # Those are 0 and 0.
            expected[0, 0] += 1
        if 'CHECK' in text:     # the condition of the macro's loop
            expected[0, 0] += 1
        if turned:
            expected[counts(node, log)[::-1]] += 1
        for pair, times in found.items():
            if times > 0 and not expected[pair]:
                wrong.append('branch %s %s' % pair)
        numbers['branches'] += len(one['branches'])
        numbers['branches listed'] += listed[line, 'branches']
        if wrong:
            numbers['wrong'] += 1
            print('%d: %s%s' % (line, text, '; '.join(wrong)))
            print('   log', rows(strip(node), log))
    print(', '.join('%d %s' % (number, name)
                    for name, number in sorted(numbers.items())))
    return numbers['wrong'] != 0


if sys.argv[1] == 'generate':
    generate(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
else:
    sys.exit(check(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]))
