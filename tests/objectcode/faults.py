# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# faults.py TOOL ELF TRACE TSV FOLDER: makes a trace in which code after a
# branch ran once more than the branch can have gone there, as after a fault
# whose handler returns elsewhere. At least one of the branches that went both
# ways must be reported as unknown, with a count that is still possible.
import subprocess
import sys
import zlib

tool, elf, trace, listed, folder = sys.argv[1:]
rows = [line.rstrip('\n').split('\t') for line in open(listed)][1:]
lines = open(trace).read().splitlines()[:-1]
watched = {line.split()[1] for line in lines if line.startswith('e ')}
refused = tried = 0
for at, length, count, goes, falls, name, *_ in rows:
    if at in watched or not goes.isdigit() or not (
            0 < int(goes) and 0 < int(falls)):
        continue
    after = '%x' % (int(at, 16) + int(length))
    changed = []
    for line in lines:
        word = line.split()
        if word[0] == 'i' and word[1] == after:
            word[2] = '%x' % (int(word[2], 16) + 1)
        changed.append(' '.join(word))
    text = '\n'.join(changed) + '\n'
    with open(folder + '/fault', 'w') as out:
        out.write(text + 'end %x\n' % zlib.crc32(text.encode()))
    said = subprocess.run(
        [tool, 'report', elf, folder + '/fault', '--object-code', '-o',
         folder + '/faults'], capture_output=True, text=True, check=True)
    tried += 1
    refused += (name + ': the outcomes of its branches contradict'
                in said.stdout)
print('%d of %d are refused' % (refused, tried))
sys.exit(not refused)
