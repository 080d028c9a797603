#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""judge.py COUNTS LCOV EVIDENCE [SOURCE]: compares the lines of a report with
what ran. Prints how many lines there are, how many never ran and are shown as
run, ran and are shown as not run, have another count, are not known; with
SOURCE, each of these but the last too. A line in the file `tried` next to COUNTS
may have another count, if it ran."""
import json
import os
import sys

counts = dict(map(int, one.split()) for one in open(sys.argv[1]))
tried = os.path.join(os.path.dirname(sys.argv[1]), 'tried')
tried = set(map(int, open(tried))) if os.path.exists(tried) else ()
shown = {}
ours = False
for one in open(sys.argv[2]):
    if one.startswith('SF:'):
        ours = '/main.c' in one
    elif one.startswith('DA:') and ours:
        line, count = map(int, one[3:].split(',')[:2])
        shown[line] = count
unknown = {one['line'] for one in
           json.load(open(sys.argv[3])).get('not_known', [])
           if one['of'] == 'lines'}
text = open(sys.argv[4]).read().split('\n') if len(sys.argv) > 4 else None
wrong = [0, 0, 0, 0]
lines = 0
for line, count in counts.items():
    if line not in shown:
        continue
    lines += 1
    kind = (3 if line in unknown else None if shown[line] == count else
            0 if not count else 1 if not shown[line] else
            None if line in tried else 2)
    if kind is None:
        continue
    wrong[kind] += 1
    if text and kind < 3:
        print('%d: ran %d times, shown as %d: %s' % (
            line, count, shown[line], text[line - 1].strip()))
print(lines, *wrong)
