# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints what an export of llvm-cov covers and a later one of the same sources
# does not: LINE METRIC, sorted; or the expected output of `bareprof report
# --against`.
#   lost.py exports THEN NOW | lost.py said REPORT [FILE...]
import json
import sys


def load(name):
    return json.load(open(name))


def lines_of(file):
    # By llvm-cov's rule: the most of what begins on the line and of what the
    # line begins in.
    segments, covered, wrapped, at = file["segments"], {}, None, 0
    for line in range(1, segments[-1][0] + 1 if segments else 1):
        here = []
        while at < len(segments) and segments[at][0] == line:
            here.append(segments[at])
            at += 1
        entries = [s for s in here if s[3] and s[4]]
        skipped = here and not here[0][3] and here[0][4]
        if entries or (not skipped and wrapped and wrapped[3]):
            counts = [s[2] for s in entries if not s[5]]
            covered[line] = max(counts + [wrapped[2] if wrapped else 0]) > 0
        wrapped = here[-1] if here else wrapped
    return covered


def points(export):
    found = {}
    for part in export["data"]:
        for file in part["files"]:
            for line, covered in lines_of(file).items():
                found[line, "lines", file["filename"], 0] = covered
        for one in part["functions"]:
            where = one["regions"][0]
            found[where[0], "functions", one["name"], 0] = one["count"] > 0
            uses = {r[6]: r[:2] for r in one["regions"] if r[7] == 1}
            for n, b in enumerate(one["branches"]):
                line = uses.get(b[6], b)[0]
                found[line, "branches", one["name"], 2 * n] = b[4] > 0
                found[line, "branches", one["name"], 2 * n + 1] = b[5] > 0
            for n, d in enumerate(one.get("mcdc_records", [])):
                lists = [x for x in d if isinstance(x, list)]
                # Up to release 19 the file is the conditions' file.
                file = [b[6] for b in one["branches"] if b[8] == 6 and
                        d[:2] <= b[:2] and b[2:4] <= d[2:4]]
                line = uses.get(file[0] if file else 0, d)[0]
                for c, shown in enumerate(lists[0]):
                    found[line, "mcdc", one["name"], n * 100 + c] = shown
    return found


if sys.argv[1] == "exports":
    then, now = (points(load(name)) for name in sys.argv[2:4])
    rows = [key[:2] for key, covered in then.items() if covered and
            not now[key]]
else:
    rows = [(lost["line_then"], lost["of"])
            for lost in load(sys.argv[2])["bareprof"]["against"]["lost"]
            if len(sys.argv) < 4 or
            lost["compiled_as"].rpartition("/")[2] in sys.argv[3:]]
for row in sorted(rows):
    print(*row)
