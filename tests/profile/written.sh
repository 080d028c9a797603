# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the writers on profiles of programs of this machine, their errors, and
# hand-written text. writers.sh sources this file, and defines its common
# functions.

# ---- programs of this machine ----

# Makes files of $llvm in $mode, unless readers.sh has made them.
program_of() {
  file=$OUT/$llvm-$mode
  [ -s "$file-2.profraw" ] && return
  "clang++-$llvm" -O1 -w $flags $HERE/program.cpp -o "$file" || return 1
  for i in 1 2; do
    LLVM_PROFILE_FILE=$file-$i.profraw "$file" $((31 * i)) || return 1
  done
}

program_alike() {
  program_of || return
  one=$file-1.profraw two=$file-2.profraw
  if [ "$llvm" -lt 19 ]; then
    merged "$llvm" "$one" "$two" "$OUT/theirs" &&
      "$CONVERT" "llvm=$llvm" "$one" "$two" "$OUT/ours" &&
      said "$llvm" "$OUT/theirs" >"$OUT/theirs.said" &&
      said "$llvm" "$OUT/ours" >"$OUT/ours.said" &&
      cmp "$OUT/theirs.said" "$OUT/ours.said"
    return
  fi
  as_llvm "" "$one" && as_llvm "text vtables" "$one" &&
    as_llvm "" "$one" "$two" && as_llvm "text vtables" "$one" "$two"
}

# The compiler makes the same object with our profile, without a message.
object_alike() {
  program_of && merged "$llvm" "$file-1.profraw" "$OUT/theirs" &&
    "$CONVERT" "llvm=$llvm" "$file-1.profraw" "$OUT/ours" 2>/dev/null || return
  for who in theirs ours; do
    cp "$OUT/$who" "$OUT/use.profdata"
    "clang++-$llvm" -O2 $use="$OUT/use.profdata" -Wall -c $HERE/program.cpp \
      -o "$OUT/$who.o" >"$OUT/why" 2>&1 && [ ! -s "$OUT/why" ] ||
      { cat "$OUT/why"; return 1; }
  done
  cmp "$OUT/theirs.o" "$OUT/ours.o"
}

programs() {
  for llvm in ${LLVM:-13 14 15 19 22}; do
    label="profile writers: a program of clang $llvm"
    have_llvm "$llvm" && printf 'int main(void){}' |
      "clang-$llvm" -fprofile-generate -x c - -o "$OUT/empty" 2>/dev/null ||
      { skip "$label" "no clang-$llvm with a runtime"; continue; }
    modes_of "$llvm" >"$OUT/modes"
    while IFS='|' read -r mode from to flags; do
      # Skips files that need the ELF, which convert.c does not read.
      case $mode in binary | debug*) continue ;; esac
      check "$label, $mode" program_alike
    done <"$OUT/modes"
    mode=ir flags=-fprofile-generate use=-fprofile-use
    check "$label: -fprofile-use makes the same object" object_alike
    mode=plain-names use=-fprofile-instr-use
    flags="-fprofile-instr-generate -mllvm -enable-name-compression=false"
    check "$label: -fprofile-instr-use makes the same object" object_alike
  done
}

# ---- what cannot be written, or read ----

# refuses TEXT WORDS: the writer fails on $OUT/g.txt with these words, without
# output.
refuses() {
  rm -f "$OUT/ours"
  ! "$CONVERT" $2 "$OUT/g.txt" "$OUT/ours" 2>"$OUT/why" &&
    grep -q "$1" "$OUT/why" && [ ! -e "$OUT/ours" ] && return
  cat "$OUT/why"
  return 1
}

# oldest VERSION KIND: compares the version that is written if no release is
# given.
oldest() {
  made "$2" 20 1 "$OUT/g.txt"
  "$CONVERT" "$OUT/g.txt" "$OUT/ours" &&
    equal_text "$(od -An -tu1 -j8 -N1 "$OUT/ours" | tr -d ' ')" "$1"
}

# made_refuses KIND TEXT WORDS: like refuses, for a random profile of a kind.
made_refuses() {
  made "$1" 20 1 "$OUT/g.txt"
  shift
  refuses "$@"
}

losses() {
  while read -r version kind; do
    check "profile writers: the oldest for $kind is $version" \
      oldest "$version" "$kind"
  done <<LIST
7 fe
7 cs values
10 ir traces
12 fe bitmaps
12 ir values vtables
12 ir entry loops
7 ir bytes
LIST
  while IFS='|' read -r kind text words; do
    check "profile writers: $kind, $words: it is refused" \
      made_refuses "$kind" "$text" "$words"
  done <<LIST
ir traces|need LLVM 17|llvm=16
ir traces|need LLVM 17|text llvm=16
fe bitmaps|need LLVM 18|version=10
fe bitmaps|need LLVM 18|text llvm=17
ir values vtables|need LLVM 19|llvm=18
ir values vtables|need LLVM 19|text llvm=18
ir loops|need LLVM 20|llvm=19
ir loops|need LLVM 20|text llvm=19
ir bytes|need LLVM 14|llvm=13
ir bytes|need LLVM 18|text llvm=17
fe|before 13|llvm=12
fe|version 7 or later|version=6
fe|index version is not supported|version=15
LIST
}

# front_end FROM WORDS TEXT: tests hashes of an index version.
front_end() {
  made fe 20 1 "$OUT/h.txt"
  "$CONVERT" "version=$1" "$OUT/h.txt" "$OUT/g.txt" && refuses "$3" "$2"
}

# reads TEXT LINES...: compares the output for this text, or the error.
reads() {
  expected=$1
  shift
  printf '%b' "$@" >"$OUT/g.txt"
  "$CONVERT" text "$OUT/g.txt" - 2>"$OUT/why" >"$OUT/ours" || cat "$OUT/why" \
    >"$OUT/ours"
  tr '\n' ' ' <"$OUT/ours" | grep -q -- "$expected" && return
  cat "$OUT/ours"
  return 1
}

large_bitmap() {
  { printf 'f\n1\n1\n1\n$1000\n'; seq 1000 | awk '{ print $1 % 256 }'; } \
    >"$OUT/g.txt"
  "$CONVERT" text "$OUT/g.txt" "$OUT/large.txt" &&
    "$CONVERT" "llvm=$LLVM_HOST" "$OUT/large.txt" "$OUT/ours" &&
    merged $LLVM_HOST --text "$OUT/ours" "$OUT/theirs" &&
    cmp "$OUT/theirs" "$OUT/large.txt"
}

texts() {
  check "profile writers: text by hand" reads ' f # Func Hash: 31 # Num' \
    '# is\r\n:IR\r\n\r\n:entry_first\n:not_entry_first\nf\r\n0x1f\n1\n#\n5'
  check "profile writers: a name may begin with a dollar sign" reads \
    '\$s4main .*\$1 # Bitmap Byte Values: 0x7' \
    'f\n1\n1\n1\n$s4main\n1\n1\n1\n$1\n7\n'
  check "profile writers: no counters" reads 'line 3: a function has no' \
    'f\n1\n0\n'
  check "profile writers: too few counters" reads 'number of lines' \
    'f\n1\n9\n1\n'
  check "profile writers: it ends early" reads 'truncated' 'f\n1\n'
  check "profile writers: no number" reads 'line 4: expected a number' \
    'f\n1\n1\nx\n'
  check "profile writers: too large a number" reads 'line 2: expected a number' \
    'f\n18446744073709551616\n1\n1\n'
  check "profile writers: no value" reads \
    'line 10: expected value:count' \
    ':ir\nf\n1\n1\n1\n1\n0\n1\n1\nfoo\n'
  check "profile writers: a directive not known" reads \
    'line 1: unknown directive' \
    ':new\nf\n1\n1\n1\n'
  check "profile writers: 1,000 bytes of bitmap, in text too" large_bitmap
  check "profile writers: which no llvm-profdata reads" refuses \
    '256 bytes or more of MC/DC' "text llvm=$LLVM_HOST"
}
