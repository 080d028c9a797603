# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads a list of options, then tests: prints the options that no test uses. An
# option counts as used if its word or letter stands at most 60 lines from the
# name of its command, in a call or in a label. Commands of two words are
# searched in the tests of the first word, and here; there, `merge` and `show`
# belong to that first word.

function word(line, text, at, before, behind) {
  while (at = index(line, text)) {
    before = at == 1 ? " " : substr(line, at - 1, 1)
    behind = substr(line, at + length(text), 1)
    if (before !~ /[-A-Za-z0-9]/ && behind !~ /[-A-Za-z0-9]/)
      return 1
    line = substr(line, at + length(text))
  }
  return 0
}

FNR == NR && list {
  count++
  split($0, part, ":")
  shown[count] = part[1] " " part[2]
  command[count] = part[1]
  of[count] = ""
  if (split(part[1], words, " ") > 1) {
    of[count] = words[1]
    command[count] = words[2]
    also[words[1], words[2]]
  }
  option[count] = part[2]
  letter[count] = part[3]
  next
}

# Returns whether this word in a file means this command.
function meant(i, file) {
  sub(/^.*tests\//, "", file)
  sub(/\/.*/, "", file)
  if (file == "options")
    return 1
  return of[i] != "" ? file == of[i] : !((file, command[i]) in also)
}

FNR == 1 {
  for (i = 1; i <= count; i++) {
    named[i] = passed[i] = -100
    looked[i] = !used[i] && meant(i, FILENAME)
  }
}

/^[ \t]*#/ { next }

{
  low = tolower($0)
  for (i = 1; i <= count; i++) {
    if (!looked[i])
      continue
    if (word(low, command[i]))
      named[i] = FNR
    if (index($0, "-") && (word($0, option[i]) ||
        (letter[i] != "" && word($0, letter[i]))))
      passed[i] = FNR
    if (named[i] > 0 && passed[i] > 0 && named[i] - passed[i] <= 60 &&
        passed[i] - named[i] <= 60) {
      used[i] = 1
      looked[i] = 0
    }
  }
}

END {
  for (i = 1; i <= count; i++)
    if (!used[i]) print shown[i]
}
