#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words of comments and names, held against tests/lint/words.

  words.py patterns   each pattern occurs in comments as often as the table says
  words.py names      no function, struct or file has a retired word or says
                      only a verb that tells nothing
  words.py exist      each name in a comment, or in the README of tools/ or
                      runtime/, exists in code
  words.py files      a base name occurs once in tools/, once in runtime/
  words.py sections   a header of tools/ declares each function in the section
                      of the file that defines it
  words.py parameters a prototype names its parameters as the definition does
  words.py renew      lowers the numbers of the table; never raises one
"""
import collections
import fnmatch
import os
import re
import subprocess
import sys

TABLE = 'tests/lint/words'
TOKENS = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
FUNCTION = (r'^(?!return\b|else\b|typedef\b)'
            r'[A-Za-z_][\w\s*]*?[\s*](\w+)\([^;{]*\)\s*')


def tracked(*patterns):
    listed = subprocess.run(
        ['git', 'ls-files', '-co', '--exclude-standard', '--', *patterns],
        capture_output=True, text=True, check=True).stdout.split('\n')
    return [name for name in listed if name and os.path.isfile(name)]


def read_file(name):
    with open(name, encoding='utf-8', errors='replace') as file:
        return file.read()


def find_sources():
    return tracked('tools/*.[chS]', 'runtime/*.[chS]', 'include/*.h')


def split_code(text):
    """The code without comments and strings, and the comments."""
    comments = [found.group(0) for found in TOKENS.finditer(text)
                if found.group(0)[0] == '/']
    return TOKENS.sub(lambda found: ' ' if found.group(0)[0] == '/' else '""',
                      text), comments


def find_sentences(comment):
    text = '\n'.join(re.sub(r'^\s*\*+ ?', '', line)
                     for line in comment.strip('/*').split('\n'))
    for block in re.split(r'\n\s*\n|\n\s*(?:-|\d+\.)\s+', text):
        block = re.sub(r'\s+', ' ', block).strip()
        for part in re.split(r'(?<=[.!?])\s+(?=[A-Z`"(\[])', block):
            if part.strip():
                yield part.strip()


def read_table():
    """Rows of the table: kind, number, name, text."""
    rows = []
    for line in read_file(TABLE).split('\n'):
        if line and not line.startswith('#'):
            kind, number, name, text = line.split(None, 3)
            rows.append((kind, int(number), name, text))
    return rows


def count_patterns(rows):
    sentences = [
        (name, sentence)
        for name in find_sources()
        for comment in split_code(read_file(name))[1]
        for sentence in find_sentences(comment)]
    for kind, number, name, text in rows:
        if kind == 'pattern':
            expression = re.compile(text)
            yield name, number, ['%s: %s' % found for found in sentences
                                 if expression.search(found[1])]


def find_names():
    """Functions, structs and files of tools/ and runtime/."""
    function = re.compile(FUNCTION + r'\{', re.M)
    structure = re.compile(r'\b(?:struct|enum|union)\s+(\w+)\s*\{')
    for file in tracked('tools/*.[ch]', 'runtime/*.[ch]'):
        code = split_code(read_file(file))[0]
        yield file, os.path.splitext(os.path.basename(file))[0]
        for found in function.finditer(code):
            yield file, found.group(1)
        for found in structure.finditer(code):
            yield file, found.group(1)


def count_names(rows):
    names = list(find_names())
    for kind, number, name, text in rows:
        if kind == 'name':
            word = re.compile(text)
            yield name, number, ['%s: %s' % found for found in names
                                 if word.search(found[1])]


def compare(counts):
    wrong = 0
    for name, number, found in counts:
        if len(found) == number:
            continue
        wrong = 1
        if len(found) < number:
            print('%s: %d in the table, %d found; run words.py renew'
                  % (name, number, len(found)))
        else:
            print('%s: %d in the table, %d found; use the word of'
                  ' CONTRIBUTING, "Words":' % (name, number, len(found)))
            print('\n'.join('  ' + line for line in found[-10:]))
    return wrong


def find_unknown_names():
    """Names in comments and maps, with a low line or before (), that no code
    has, and files that are not there."""
    maps = ('tools/README.md', 'runtime/README.md')
    files = {os.path.basename(file) for file in tracked()}
    known = {text for kind, _, _, text in read_table() if kind == 'format'}
    known.update(file.split('.')[0] for file in files)
    for file in tracked():
        if file.endswith(('.png', '.svg')) or file in maps:
            continue
        text = read_file(file)
        if file.endswith(('.c', '.h', '.S', '.cpp', '.rs')):
            text = split_code(text.replace('"', ' '))[0]
        known.update(re.findall(r'[A-Za-z_]\w*', text))
    for file in (*find_sources(), *maps):
        text = read_file(file)
        for comment in (re.findall(r'`[^`\n]+`', text) if file in maps
                        else split_code(text)[1]):
            for name in re.findall(
                    r'(?<![\w.\-/%<])(?:[a-z]+_[a-z_0-9]*[a-z0-9]'
                    r'|[a-z_]\w*(?=\(\)))(?![\w*]|\.\w)', comment):
                if name not in known:
                    yield '%s: %s' % (file, name)
            for name in re.findall(
                    r'(?<![\w*%<])[a-z_][a-z_0-9]*\.[chS]\b', comment):
                if name not in files:
                    yield '%s: %s' % (file, name)


def find_equal_files():
    owners = collections.defaultdict(list)
    for file in tracked('tools/*.[ch]', 'runtime/*.[chS]'):
        owners[file.split('/')[0], os.path.basename(file)].append(file)
    return [' '.join(files) for files in owners.values() if len(files) > 1]


def find_misplaced_functions():
    """Functions in a header's section that names another file. Without a
    section, a.h declares functions of a.c. Functions that several files define,
    each for another system, need no section."""
    owners = collections.defaultdict(set)
    for file in tracked('tools/*.[cS]'):
        code = split_code(read_file(file))[0]
        for name in re.findall(FUNCTION + r'\{', code, re.M):
            owners[name].add(os.path.basename(file))
    for header in tracked('tools/*.h'):
        files = [os.path.basename(header)[:-1] + 'c']
        code = TOKENS.sub(lambda found: (
            found.group(0).split('\n')[0]
            if found.group(0).startswith('/* ---- ') else ' '),
                          read_file(header))
        for found in re.finditer(r'^/\* ---- (.*)|' + FUNCTION + r'[\w(), ]*;',
                                 code, re.M):
            title, name = found.groups()
            files = re.findall(r'[\w*]+\.c\b', title or '') or files
            if len(owners[name]) == 1 and not any(
                    fnmatch.fnmatch(min(owners[name]), file) for file in files):
                yield '%s: %s is in %s' % (header, name, *owners[name])


def list_parameters(text):
    """The names of parameters; '' for one without a name."""
    text = re.sub(r'\[[^][]*\]', '', text)
    text = re.sub(r'\(\s*\*\s*(\w+)\s*\)\s*\([^()]*\)', r' \1', text)
    return [re.sub(r'.*\W', '', part) if re.search(r'\w[\s*]+\w', part) else ''
            for part in map(str.strip, text.split(','))]


def find_renamed_parameters():
    """Parameters with one name in a prototype and another in the definition.
    A callback may call a parameter `context` in one of them."""
    pattern = re.compile(
        r'^(?!return\b|else\b|typedef\b|static\b)[A-Za-z_][\w\s*]*?[\s*](\w+)'
        r'\(((?:[^;{}()]|\([^()]*\))*)\)\s*(?:(?!\{)\w+\([^;{]*?\)+\s*)?([;{])',
        re.M)
    prototypes, definitions = [], collections.defaultdict(list)
    for file in tracked('tools/*.[ch]', 'runtime/*.[ch]', 'include/*.h'):
        for found in pattern.finditer(split_code(read_file(file))[0]):
            name, names = found.group(1), list_parameters(found.group(2))
            if found.group(3) == ';':
                prototypes.append((file, name, names))
            else:
                definitions[name].append(names)
    for file, name, names in prototypes:
        for others in definitions[name]:
            for one, other in zip(names, others):
                if one and one != other and 'context' not in (one, other):
                    yield '%s: %s: %s, %s' % (file, name, one, other)


def renew():
    found = {name: len(list(hits)) for name, _, hits in
             [*count_patterns(read_table()), *count_names(read_table())]}
    lines = []
    for line in read_file(TABLE).rstrip('\n').split('\n'):
        row = line.split(None, 3)
        if len(row) == 4 and row[0] in ('pattern', 'name'):
            number = min(int(row[1]), found[row[2]])
            line = '%-8s %4d %-14s %s' % (row[0], number, row[2], row[3])
        lines.append(line)
    with open(TABLE, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')
    return 0


def main():
    what = sys.argv[1] if len(sys.argv) == 2 else ''
    if what == 'patterns':
        return compare(count_patterns(read_table()))
    if what == 'names':
        return compare(count_names(read_table()))
    if what == 'renew':
        return renew()
    lists = {'exist': find_unknown_names, 'files': find_equal_files,
             'sections': find_misplaced_functions,
             'parameters': find_renamed_parameters}
    if what in lists:
        found = list(lists[what]())
        print('\n'.join(found))
        return 1 if found else 0
    sys.exit(__doc__)


sys.exit(main())
