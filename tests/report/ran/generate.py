#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py SEED FUNCTIONS c|cpp FOLDER: a program of shapes in which line
counts go wrong, as FOLDER/main.c (or .cpp), and the same with a counter in
each line that has code, as FOLDER/twin.c. The twin writes LINE COUNT of each to the
file `counts`.

After a call that throws, nothing says how often the rest of a `try` ran. The
file `tried` has these lines.

In the text of a line, @ is where its counter goes as an operand, and what is
between < and > gets the counter in front, as a statement in braces."""
import random
import sys

seed, functions, language, folder = sys.argv[1:]
choose = random.Random(int(seed) * 2 + (language == 'cpp'))
PLUS = language == 'cpp'
MACROS = ['SYS_INC(x);', 'OWN_INC(x);', 'SYS_INC(y);', 'OWN_DO(x, y);',
          'SYS_DO(x, y);', 'OWN_BLOCK']
lines = []
tried = set()
depth = 0
nested = 0
names = 0


def put(text):
    lines.append('  ' * depth + text)


def name(kind):
    global names
    names += 1
    return '%s%d' % (kind, names)


def atom():
    of = choose.choice(['a', 'b', 'x', 'y', 'a + x', 'b ^ y', 'x + y'])
    by = choose.choice([2, 3, 5, 7])
    return choose.choice(
        ['(%s) %% %d == %d' % (of, by, choose.randrange(by))] * 6 +
        ['a > %d' % choose.randrange(8), 'never', 'x < 0 && y < 0', '0', '1',
         'SYS_AND(a, x)', 'OWN_AND(b, y)', '!(x %% %d)' % by,
         'a % 2 && SYS_BOTH(x, y)'])


def condition(head, tail):
    """A condition between head and tail, in one to three lines."""
    count = choose.choice([1, 1, 2, 3])
    operator = choose.choice(['&&', '||'])
    # A constant alone in a line: clang never counts it.
    parts = [atom() for _ in range(count)]
    parts = [part if part not in '01' else 'x == b' for part in parts]
    if count == 1:
        put('%s(@%s)%s' % (head, parts[0], tail))
        return
    leading = choose.random() < .5
    for i, part in enumerate(parts):
        last = i == count - 1
        put((head + '(' if not i else '    ') +
            (operator + ' ' if i and leading else '') + '(@%s)' % part +
            ('' if last or leading else ' ' + operator) +
            (')' + tail if last else ''))


def block(loop, least=1, most=2):
    global depth
    depth += 1
    for _ in range(choose.randint(least, most)):
        statement(loop)
    depth -= 1


def inner(text):
    global depth
    depth += 1
    put(text)
    depth -= 1


def jump(loop):
    if loop and choose.random() < .6:
        return choose.choice(['<break;>', '<continue;>'])
    return choose.choice(['<return x;>', '<return y + 1;>', '<return a;>'])


def simple():
    kind = choose.randrange(8)
    if kind < 3:
        put('<%s>' % (choose.choice(['x += %d;', 'y ^= %d;', 'x = x * 3 + %d;',
                                     'sink += %d;']) % choose.randrange(1, 9)))
    elif kind == 3:
        put('<%s>' % choose.choice(MACROS))
    elif kind == 4:
        put('x = (@%s)' % atom())
        inner('? (@y + 1)')
        inner(': (@y - 1);')
    elif kind == 5:
        put('y += (@leaf)(')
        inner('(@x),')
        inner('(@%s) ? a : b);' % atom())
    elif kind == 6:
        put('x = ({ int t = (@y); if (%s) t++;' % atom())
        inner('(@t); });')
    else:
        put('x = (@%s) && (%s);' % (atom(), atom()))


def statement(loop):
    global depth, nested
    if nested > 3 or choose.random() < .3:
        simple()
        return
    nested += 1
    kinds = SHAPES + (PLUS_SHAPES if PLUS else [])
    choose.choice(kinds)(loop)
    nested -= 1


def early_leave(loop):
    global depth
    put('{')
    depth += 1
    condition('if ', ' {')
    inner(jump(loop))
    put('}')
    depth -= 1
    block(loop, 0, 1)
    put('}')
    if choose.random() < .3:
        put(choose.choice(['', '// what goes on']))
    simple()


def if_else(loop):
    condition('if ', ' {')
    block(loop)
    form = choose.randrange(3)
    if form == 0:
        put('}')
    elif form == 1:
        put('} else {')
        block(loop, 1, 1)
        put('}')
    else:
        condition('} else if ', ' {')
        block(loop, 1, 1)
        put('} else')
        inner('<x--;>')


def for_loop(loop):
    i = name('i')
    put('for (int %s = 0; @%s < %d; %s++) {' % (i, i, choose.randint(1, 5), i))
    block(True)
    put('}')


def do_loop(loop):
    i = name('i')
    put('int %s = (@%d);' % (i, choose.randrange(5)))
    put('do {')
    if choose.random() < .6:
        inner('if (@%s) break;' % atom())
    block(True, 1, 1)
    if choose.random() < .5:
        put('}')
        put('while (@--%s > 0);' % i)
    else:
        put('} while (@--%s > 0);' % i)


def while_loop(loop):
    i = name('i')
    put('int %s = (@%d);' % (i, choose.randrange(5)))
    put('while (@%s-- > 0)' % i)
    inner('if (@%s)' % atom())
    inner('  ' + choose.choice(['<break;>', '<continue;>', '<x++;>']))
    inner('else')
    inner('  <y++;>')


def switch(loop):
    put('switch (@(unsigned)(%s) %% 5) {' % choose.choice(['a', 'x', 'y + a']))
    for value in choose.sample(range(5), choose.randint(1, 4)):
        put(('case %d: <x++;>' if choose.random() < .3 else 'case %d:<;>') %
            value)
        rest = choose.random()
        if rest < .8:
            inner('{')
            block(loop, 1, 1)
            inner('}')
        if rest < .6 or rest > .9:
            inner('<break;>' if rest < .5 else '<return x;>')
    if rest > .6 or choose.random() < .5:
        put('default:<;>')
        inner('<y--;>')
    put('}')


def jump_over(loop):
    label = name('l')
    put('if (@%s)' % atom())
    inner('<goto %s;>' % label)
    put('{')
    block(loop, 1, 1)
    put('}')
    put(label + ':<;>')
    put('<sink++;>')


def twice_jump(loop):
    global depth
    label = name('l')
    put('{')
    depth += 1
    put('if (@%s) {' % choose.choice(['never', atom()]))
    inner('<goto %s;>' % label)
    put('}')
    put('<goto %s;>' % label)
    put('int %s;' % name('g'))
    if choose.random() < .5:
        put('<x++;>')
    depth -= 1
    put(label + ':<;>')
    inner('<y++;>')
    put('}')


def leave_early(loop):
    put('if (@%s)' % atom())
    inner(jump(loop))
    put('<%s>' % choose.choice(MACROS))
    put('<x++;>')


def in_one_line(loop):
    put('if (@%s) %s' % (atom(), jump(False).strip('<>')))
    simple()


def with_macro(loop):
    put('if (@%s && %s)' % (atom(), choose.choice(
        ['SYS_BOTH(x, y)', 'OWN_AND(x, y)', 'SYS_AND(a, y)'])))
    inner('<x += 2;>')


def never_returns(loop):
    put('if (@%s) { leave(%d); }' % (
        choose.choice(['never', 'never && a', 'x == 0x7ffffff']),
        choose.randrange(3)))
    simple()


def both_leave(loop):
    put('if (@%s) {' % atom())
    inner('<return x;>')
    put('} else {')
    inner(choose.choice(['<return y;>', '<x++;>']))
    put('}')
    put('<x += 3;>')


def left_out(loop):
    put('#if 0')
    put('x += never;')
    put('#endif')
    simple()


def a_lambda(loop):
    f = name('f')
    put('auto %s = [&](int q) {' % f)
    inner('if (@q %% 2 == %d)' % choose.randrange(2))
    inner('  <return x;>')
    inner('<y++;>')
    inner('<return q;>')
    put('};')
    if choose.random() < .7:
        put('<x += %s(%s);>' % (f, choose.choice(['a', 'b', 'y'])))


def a_form(loop):
    put('<x += form%d<%s>(a, %s);>' % (
        choose.randrange(FORMS), choose.choice(['true', 'false']),
        choose.choice(['x', 'y', 'b'])))


def a_try(loop):
    put('try {')
    begin = len(lines)
    block(loop, 1, 1)
    # If clang folds the only throw, it never counts what follows the handlers.
    inner('if (@%s)' % choose.choice(['a % 3 == 1', '(x + y) % 4 == 2']))
    inner('  <throw x;>')
    if choose.random() < .7:
        inner('<thrower(%s);>' % choose.choice(['a', 'b', 'y + 1']))
    inner('<y++;>')
    tried.update(range(begin + 1, len(lines) + 1))
    put('} catch (%s) {' % choose.choice(['int e', '...']))
    block(loop, 1, 1)
    put('}')
    simple()


SHAPES = [early_leave, if_else, if_else, for_loop, do_loop, while_loop, switch,
          jump_over, twice_jump, leave_early, in_one_line, with_macro,
          never_returns, both_leave, left_out]
PLUS_SHAPES = [a_lambda, a_lambda, a_form, a_form, a_try, a_try]
FORMS = 4


def form(number):
    """A template with `if constexpr`, which may leave."""
    global depth
    put('template <bool S> static int form%d(int a, int b) {' % number)
    depth = 1
    put('int x = (@a), y = b;')
    put('if constexpr (S) {')
    inner(['<return x;>', '<x++;>'][number % 2])
    if number < 2:
        put('}')
    else:
        put('} else {')
        inner('<y += 2;>')
        put('}')
    put('<++sink;>')
    put('if (@x % 2)')
    inner('<y++;>')
    put('<return x + y;>')
    depth = 0
    put('}')


HEAD = '''#include "own.h"
#include <sysmac.h>
#include <stdio.h>
#include <stdlib.h>
static int sink;
static volatile int never;
__attribute__((noreturn)) static void leave(int code) {
  <printf("%d\\n", code);>
  <exit(code);>
}
static int leaf(int p, int q) {
  <return p * 7 + q;>
}'''

PLUS_HEAD = '''
static void thrower(int v) {
  if (@v % 2)
    <throw v;>
  <sink++;>
}'''


def program():
    global depth
    for text in (HEAD + PLUS * PLUS_HEAD).split('\n'):
        put(text)
    for number in range(FORMS if PLUS else 0):
        form(number)
    for number in range(int(functions)):
        put('static int fn%d(int a, int b) {' % number)
        depth = 1
        put('int x = (@a), y = b;')
        for _ in range(choose.randint(3, 6)):
            statement(False)
        put('<return x + y;>')
        depth = 0
        put('}')
    put('int main(void) {')
    depth = 1
    put('unsigned sum = (@0);')
    for number in range(int(functions)):
        if choose.random() < .9:
            put('for (int i = 0; @i < %d; i++)' % choose.randint(1, 4))
            inner('<sum = sum * 31 + fn%d(i, i * %d);>' % (
                number, choose.randrange(5)))
    put('<printf("%u %d\\n", sum, sink);>')
    put('<return 0;>')
    depth = 0
    put('}')


def marked(text):
    """Whether < and > in a line are marks: they are its ends."""
    begin, end = text.find('<'), text.rfind('>')
    return begin, end if (end == len(text) - 1 and begin >= 0 and
                          not text.lstrip().startswith('#')) else -1


def plain(text):
    begin, end = marked(text)
    if end > 0:
        inside = text[begin + 1:end]
        text = text[:begin] + ('' if inside == ';' else inside)
    return text.replace('@', '')


def counted(text, line):
    begin, end = marked(text)
    if end > 0:
        text = '%s{ P(%d); %s }' % (text[:begin], line, text[begin + 1:end])
    return text.replace('@', 'P(%d), ' % line)


COUNTS = '''#include <stdio.h>
#include <stdlib.h>
static unsigned long ran[%d];
#define P(line) ran[line]++
static void print_counts(void) {
  static const int all[] = {%s};
  FILE *to = fopen("counts", "w");
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    fprintf(to, "%%d %%lu\\n", all[i], ran[all[i]]);
  fclose(to);
}
__attribute__((constructor)) static void begin(void) { atexit(print_counts); }
'''

program()
with open(folder + '/counts.h', 'w') as to:
    to.write(COUNTS % (len(lines) + 1, ', '.join(
        str(number) for number, text in enumerate(lines, 1)
        if 'P(' in counted(text, number))))
with open(folder + '/tried', 'w') as to:
    to.writelines('%d\n' % number for number in sorted(tried))
with open(folder + '/main.' + language, 'w') as to:
    to.write('\n'.join(map(plain, lines)) + '\n')
with open(folder + '/twin.' + language, 'w') as to:
    to.write('#include "counts.h"\n#line 1\n')
    to.write('\n'.join(counted(text, number) for number, text in
                       enumerate(lines, 1)) + '\n')
