# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints each function that two shell files define and one script sources.

The later definition replaces the earlier one, so a check would call a function
that another check has for itself. Arguments: the shell files.
"""
import os
import re
import sys

SOURCED = re.compile(r"^ *\. (\S+)", re.MULTILINE)
DEFINED = re.compile(r"^([a-zA-Z_]\w*)\(\)", re.MULTILINE)


def find_sourced(path, text):
    """Yields the files that a script sources; variables are its own folder."""
    for name in SOURCED.findall(text):
        name = name.strip('"')
        if name.startswith("$"):
            name = os.path.join(os.path.dirname(path), name.split("/")[-1])
        yield os.path.normpath(name)


def find_all_sourced(path, texts, seen):
    """Adds the script to `seen`, and all that it sources."""
    if path in texts and path not in seen:
        seen.append(path)
        for name in find_sourced(path, texts[path]):
            find_all_sourced(name, texts, seen)
    return seen


def main():
    texts = {}
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            texts[path] = file.read()
    found = set()
    for path in texts:
        owners = {}
        for one in find_all_sourced(path, texts, []):
            for name in DEFINED.findall(texts[one]):
                owner = owners.setdefault(name, one)
                if owner != one:
                    found.add(f"{name}: {owner}, {one}; rename one")
    print("\n".join(sorted(found)), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())
