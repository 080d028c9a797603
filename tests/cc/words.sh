# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# clang's IR in forms that bareprof cc does not know: one word of a line that
# counts is renamed, added, dropped or moved. bareprof cc rejects such a text,
# or it counts as when clang compiles it. `run` sources this file after
# flags.sh.

WORDS=$OUT/words

# Makes a compiler whose front end writes $WORDS_FRONT, and whose lowering
# writes $WORDS_LOWERED, if these are set.
words_compiler() {
  cat >"$WORDS/$1" <<EOF
#!/bin/sh
# Some drivers repeat their command line, with -###, in an option.
case \$1 in -\#\#\#)
  $1 "\$@" 2>&1 >/dev/null |
    sed 's|^ "[^"]*" "-cc1"| "$WORDS/$1" "-cc1"|' >&2
  exit ;;
esac
for last; do :; done
case " \$* " in
  *" -disable-llvm-passes "*) text=\${WORDS_FRONT-} ;;
  *"lowered.ll "*) text=\${WORDS_LOWERED-} ;;
  *) text= ;;
esac
[ -n "\$text" ] || exec $1 "\$@"
while [ "\$1" != -o ]; do shift; done
cp "\$text" "\$2"
EOF
  chmod +x "$WORDS/$1"
}

# words_result NAME OBJECT: prints the report of the program without counts, or
# "none" if it does not link or has no report.
words_result() (
  cd "$WORDS" || exit
  "$compiler" $COUNTED -fuse-ld=lld "$2" -o "$1.x" 2>/dev/null &&
    LLVM_PROFILE_FILE="$1.raw" timeout 5 "./$1.x" &&
    "$BAREPROF" report "$1.x" "$1.raw" --lcov "$1.lcov" -o "$1.r" \
      >"$1.table" 2>/dev/null || { echo none >"$1.said"; exit; }
  { sed '1d;/^Line by/d;/^Other counts/,/^$/d;/^Decisions not/,/^$/d' "$1.table"
    sed -E 's/^(DA:.*,|FNDA:|BRDA:.*,)[1-9][0-9]*/\1N/' "$1.lcov"; } \
    >"$1.said"
)

# words_try WHERE SEED OPTIONS: WHERE: the text that is changed: front, lowered.
# Adds a line to $WORDS/outcomes: refused, same, senseless, or other with the
# word.
words_try() {
  awk -v seed="$2" -v of="$words_of" -f "$HERE/words.awk" "$WORDS/$1.ll" \
    >"$WORDS/text.ll" 2>"$WORDS/word" || return 1
  unset WORDS_FRONT WORDS_LOWERED
  case $1 in
    front) export WORDS_FRONT="$WORDS/text.ll" ;;
    *) export WORDS_LOWERED="$WORDS/text.ll" ;;
  esac
  rm -f "$WORDS/ours.o" "$WORDS/clang.o"
  # shellcheck disable=SC2086 # Several options and flags.
  "$BAREPROF" cc $3 "$WORDS/$compiler" $flags -c "$HERE/words.c" \
    -o "$WORDS/ours.o" 2>"$WORDS/refusal" ||
    { echo refused >>"$WORDS/outcomes"; return; }
  words_result ours ours.o
  case $1 in front) set -- "$@" "$COUNTED" ;; *) set -- "$@" "" ;; esac
  # shellcheck disable=SC2086 # Flags, or none.
  "$compiler" -w -O1 $4 -x ir -c "$WORDS/text.ll" -o "$WORDS/clang.o" \
    2>/dev/null && words_result clang clang.o || echo none >"$WORDS/clang.said"
  if grep -qx none "$WORDS/ours.said"; then
    echo refused >>"$WORDS/outcomes"
  elif grep -qx none "$WORDS/clang.said" ||
    grep -q '@__profc_[a-z]*, i32 [1-9][0-9]*, i32 ' "$WORDS/word"; then
    # clang refuses the text; or the text writes outside of its counters, to
    # others whose place depends on the linker.
    echo senseless >>"$WORDS/outcomes"
  elif cmp -s "$WORDS/ours.said" "$WORDS/clang.said"; then
    echo same >>"$WORDS/outcomes"
  else
    echo "other: $3, seed $2, line $(cat "$WORDS/word")" >>"$WORDS/outcomes"
  fi
}

# words LLVM TEXTS: tries a part of the texts in each mode. TEXTS_FROM=N skips
# the first N, for a long run in parts.
words() {
  compiler=clang-$1 words_texts=$2 flags="-O1 -w $COUNTED"
  [ "$1" -lt 19 ] || flags="$flags -fcoverage-mcdc"
  rm -rf "$WORDS" && mkdir -p "$WORDS" && words_compiler "$compiler" &&
    $compiler $flags -Xclang -disable-llvm-passes -S -emit-llvm \
      "$HERE/words.c" -o "$WORDS/front.ll" &&
    $compiler -w -O0 $COUNTED -x ir -S -emit-llvm "$WORDS/front.ll" \
      -o "$WORDS/lowered.ll" && : >"$WORDS/outcomes" || return 1
  seed=${TEXTS_FROM:-0}
  words_texts=$((words_texts + seed))
  while [ "$seed" -lt "$words_texts" ]; do
    seed=$((seed + 1))
    words_of='llvm.instrprof|__profn_|__covrec_'
    case $((seed % 4)) in
      0) words_try front $seed "--counters=byte" ;;
      1) words_try front $seed "--counters=byte --mcdc=bytes" ;;
      2) words_of='__prof|pgocount'
        words_try lowered $seed "--counters=32" ;;
      3) words_of='__prof|pgocount'
        words_try lowered $seed "--counters=32-atomic" ;;
    esac || return 1
  done
  grep -a '^other' "$WORDS/outcomes" | head -n 5
  echo "$(grep -ac refused "$WORDS/outcomes") refused," \
    "$(grep -ac same "$WORDS/outcomes") the same" >"$WORDS/sum"
  words_least=$((($(wc -l <"$WORDS/outcomes")) / 20))
  [ "$(grep -ac same "$WORDS/outcomes")" -gt $words_least ] &&
    [ "$(grep -ac refused "$WORDS/outcomes")" -gt $words_least ] ||
    cat "$WORDS/sum"
  ! grep -aq '^other' "$WORDS/outcomes"
}

# If the lowering of byte counters has another form, bareprof cc notices what is
# lost.
words_lost() {
  compiler=clang-$1
  rm -rf "$WORDS" && mkdir -p "$WORDS" && words_compiler "$compiler" || return 1
  while read -r edit; do
    cat >"$WORDS/$compiler.lowers" <<EOF
#!/bin/sh
$compiler "\$@" || exit
for last; do :; done
case " \$* " in *" -disable-llvm-passes "*) exit ;; esac
while [ "\$1" != -o ]; do shift; done
case \$2 in */lowered.ll) sed -i '$edit' "\$2" ;; esac
EOF
    sed "s|exec $compiler |exec sh $WORDS/$compiler.lowers |" \
      "$WORDS/$compiler" >"$WORDS/other" && chmod +x "$WORDS/other" &&
      sed -i "s|$WORDS/$compiler\"|$WORDS/other\"|" "$WORDS/other"
    "$BAREPROF" cc --counters=byte --mcdc=bytes "$WORDS/other" -O1 -w \
      $COUNTED -fcoverage-mcdc -c "$HERE/words.c" -o "$WORDS/ours.o" \
      2>"$WORDS/refusal"
    case $?$edit in
      0s/nothing/*) ;;
      1*) grep -q 'words.c: .*with --counters=64$' "$WORDS/refusal" &&
        [ ! -e "$WORDS/ours.o" ] && [ "$edit" != s/nothing// ] ||
        { echo "$edit: $(cat "$WORDS/refusal")"; return 1; } ;;
      *) echo "not missed: $edit, $(cat "$WORDS/refusal")"; return 1 ;;
    esac
    rm -f "$WORDS/ours.o"
  done <<'END'
s/nothing//
s/%bareprof[.]m/%other.m/
s/store i8 0, ptr/store volatile i8 0, ptr/
s/ private global [[]\([0-9]*\) x i8] c/ private global [\1 x  i8] c/
/store i8 0, ptr @__profc_main/d
s/@__profc_/@__prf_c_/
/@__profd_words.c_inside = /s/@__profd_words/@__profile_words/
END
}

# A release that does not exist yet gets one line of error and no object, in
# each mode. With clang's own counters it compiles.
words_release() {
  compiler=$NEWEST
  rm -rf "$WORDS" && mkdir -p "$WORDS" && words_compiler "$compiler" &&
    $compiler $COUNTED -O1 -Xclang -disable-llvm-passes -S -emit-llvm \
      "$HERE/words.c" -o "$WORDS/front.ll" || return 1
  sed -i 's/clang version [0-9]*/clang version 97/' "$WORDS/front.ll"
  export WORDS_FRONT="$WORDS/front.ll"
  for width in 32 32-atomic 32-packed byte trace 64; do
    "$BAREPROF" cc --counters=$width "$WORDS/$compiler" $COUNTED -O1 \
      -c "$HERE/words.c" -o "$WORDS/ours.o" 2>"$WORDS/refusal"
    case $?$width in
      064) ;;
      1*) [ ! -e "$WORDS/ours.o" ] && [ "$(wc -l <"$WORDS/refusal")" = 1 ] &&
        grep -q 'words.c: .* release .* with --counters=64$' \
          "$WORDS/refusal" || { cat "$WORDS/refusal"; return 1; } ;;
      *) echo "$width: $(cat "$WORDS/refusal")"; return 1 ;;
    esac
  done
}

# The newest releases have the most forms; of an older one a tenth is tried.
# The tier releases tries as many texts of clang 23.
for llvm in ${LLVM:-22 ${FULL:+14 19}}; do
  needs "cc words $llvm" "llvm:$llvm" || continue
  texts=40
  [ -z "${FULL:-}" ] || texts=500
  [ -z "${FULL:-}" ] || [ $llvm -lt 22 ] || texts=5000
  sole "cc words $llvm: a text that is not known is refused, or counts" \
    words $llvm "${TEXTS:-$texts}"
done

sole "cc words: a release that is not known" words_release
for llvm in 19 22; do
  needs "cc words $llvm" "llvm:$llvm" || continue
  sole "cc words $llvm: what the lowering loses is missed" words_lost $llvm
done
