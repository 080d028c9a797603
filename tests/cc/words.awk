# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Copies LLVM assembly, and renames, adds, drops or moves one word of a line
# that counts: -v seed=N chooses. Such lines have `of` in them. Words in the
# strings of mappings are words, too.
BEGIN { srand(seed) }
function any(n) { return 1 + int(rand() * n) }
{ line[NR] = $0 }
$0 ~ of && !/^declare|^;/ { lines[++count] = NR }
# Returns the word with another number or another letter.
function renamed(w,    at, c) {
  if (match(w, /[0-9]+/) && any(4) > 1) {
    at = substr(w, RSTART, RLENGTH)
    return substr(w, 1, RSTART - 1) (any(2) > 1 ? at + 1 : any(9) - 1) \
      substr(w, RSTART + RLENGTH)
  }
  if (any(2) > 1)
    return word[any(words)]
  at = any(length(w))
  c = substr("aemix_.1", any(8), 1)
  return substr(w, 1, at - 1) c substr(w, at + 1)
}
END {
  split("tail volatile i32 i64 ptr 0, 1, -1 noundef inbounds, nuw private " \
    "internal atomic align #0 monotonic, true weak", more, " ")
  n = lines[any(count)]
  text = line[n]
  head = text ~ /^ / ? "  " : ""
  sub(/^ */, "", text)
  words = split(text, word, " ")
  at = any(words)
  how = any(8)
  if (how <= 5) {
    word[at] = renamed(word[at])
  } else if (how == 6) {
    word[at] = word[at] " " (any(2) > 1 ? more[any(19)] : word[any(words)])
  } else if (how == 7) {
    word[at] = ""
  } else {
    to = any(words)
    text = word[at]
    word[at] = ""
    word[to] = any(2) > 1 ? word[to] " " text : text " " word[to]
  }
  text = head
  for (i = 1; i <= words; i++)
    if (word[i] != "")
      text = text (text == head ? "" : " ") word[i]
  line[n] = text
  for (i = 1; i <= NR; i++)
    print line[i]
  print n ": " text >"/dev/stderr"
}
