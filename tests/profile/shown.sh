# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares `bareprof show` with llvm-profdata show: told.c converts our JSON to
# lines, said.awk converts llvm-profdata's output. shown_by_hand.sh tests
# documents, text and errors. `run` sources this file; the programs are
# written.sh's.

. $HERE/written.sh
. $HERE/shown_by_hand.sh

BAREPROF=$BUILD/bareprof
TOLD=$OUT/told
WORK=$OUT/shown

build_told() {
  error=$(tool_program "$TOLD" "$SANITIZERS" $HERE/told.c $HERE/strict.c \
    2>&1) && [ -z "$error" ] && return
  not_ok "profile show: its tests compile" "$(printf '%s' "$error" | one_line)"
  return 1
}

show_json() { "$BAREPROF" show --json "$@" 2>"$WORK/why"; }

same_lines() {
  cmp -s "$WORK/theirs" "$WORK/ours" && [ -s "$WORK/ours" ] && return
  diff "$WORK/theirs" "$WORK/ours" | grep '^[<>]' | head -n 3 | cut -c1-120
  cat "$WORK/why"
  return 1
}

# ---- the same numbers ----

cutoffs=10000,100000,200000,300000,400000,500000,600000,700000,800000,900000
without=
cutoffs=$cutoffs,950000,990000,999000,999900,999990,999999

# alike LLVM THEIRS OURS... [--cs]: both show the same of a file.
alike() {
  tool=llvm-profdata-$1 file=$2
  shift 2
  more= part= all='--all-functions --counts --topn=9 --detailed-summary'
  [ "${tool##*-}" -lt 17 ] || more=--temporal-profile-traces
  [ "${tool##*-}" -lt 19 ] || more="$more --show-vtables"
  case " $* " in *" --cs "*) more="$more --showcs" part=cs ;; esac
  all="$all --detailed-summary-cutoffs=$cutoffs"
  "$tool" show $all --ic-targets --memop-sizes --binary-ids $more "$file" \
    2>&1 | awk -f $HERE/said.awk | sort >"$WORK/theirs"
  all='--all-functions --counts --top 9 --detailed-summary'
  show_json $all --values --traces --ids "$@" | "$TOLD" $part | sort |
    sed "$without" >"$WORK/ours"
  same_lines
}

# The text also has the bytes of bitmaps.
bitmaps_alike() {
  merged $LLVM_HOST --text "$1" "$WORK/text" && awk -f $HERE/canon.awk "$WORK/text" |
    sed -n 's/^function \([^ ]*\).* bitmap/\1/p' | sed 's/ site.*//' |
    sort >"$WORK/theirs"
  show_json "$1" >"$WORK/json"
  { "$TOLD" <"$WORK/json"; "$TOLD" cs <"$WORK/json"; } | awk -F '\t' '
    function digit(c) { return index("0123456789abcdef", c) - 1 }
    /^bitmap/ {
      printf "%s", $2
      for (i = 1; i < length($4); i += 2)
        printf " %d", digit(substr($4, i, 1)) * 16 + digit(substr($4, i + 1, 1))
      print ""
    }' | sort >"$WORK/ours"
  same_lines
}

# The text has the count and percentage of each value.
percents_alike() {
  vtables=
  [ "$LLVM_HOST" -lt 19 ] || vtables=--show-vtables
  llvm-profdata-$LLVM_HOST show --all-functions --ic-targets --memop-sizes \
    $vtables "$1" |
    sed -n 's/^\t\[.*, *\([0-9]*\) \] (\(.*\)%)$/\1 \2/p' |
    sort >"$WORK/theirs"
  "$BAREPROF" show --values "$1" | sed -n \
    's/^    .* \([0-9][0-9]*\)  *\([0-9.]*\) %  .*/\1 \2/p' |
    sort >"$WORK/ours"
  same_lines
}

# Compares lists of names: hottest functions, those that ran, hot ones, and
# those below a count.
names_of() { awk '/^ *[0-9]/ { print $NF }'; }
names_alike() {
  llvm-profdata-$LLVM_HOST show $2 --topn=20 "$1" |
    sed -n 's/^  \(.*\), max count = .*/\1/p' >"$WORK/theirs"
  "$BAREPROF" show ${2:+--cs} --top 20 "$1" | names_of >"$WORK/ours"
  same_lines || return
  llvm-profdata-$LLVM_HOST show $2 --covered "$1" | sort -u >"$WORK/theirs"
  "$BAREPROF" show ${2:+--cs} --covered "$1" | LC_ALL=C sort >"$WORK/ours"
  same_lines || return
  # LLVM 21 and older list hot functions only for sampled profiles.
  if [ "$LLVM_HOST" -ge 22 ]; then
    llvm-profdata-$LLVM_HOST show $2 --hot-func-list "$1" |
      sed '1,/# Hot count/d' | sort >"$WORK/theirs"
    "$BAREPROF" show ${2:+--cs} --hot "$1" | names_of | sort >"$WORK/ours"
    same_lines || return
  fi
  llvm-profdata-$LLVM_HOST show $2 --list-below-cutoff --value-cutoff=1000000 "$1" |
    sed -n 's/^  \(.*\): (Max = .*/\1/p' | sort >"$WORK/theirs"
  "$BAREPROF" show ${2:+--cs} --below 1000000 "$1" | names_of |
    sort >"$WORK/ours"
  same_lines
}

made_alike() {
  made "$kind" "$functions" 3 "$WORK/g.txt"
  merged $LLVM_HOST "$WORK/g.txt" "$WORK/g.profdata" || return
  for file in "$WORK/g.txt" "$WORK/g.profdata"; do
    alike $LLVM_HOST "$file" "$file" || return
    case $kind in *cs*) alike $LLVM_HOST "$file" "$file" --cs || return ;; esac
  done
  case $kind in *bitmaps*) bitmaps_alike "$WORK/g.txt" || return ;; esac
  case $kind in *values*) percents_alike "$WORK/g.txt" || return ;; esac
  # If counts are equal, llvm-profdata shows any of them.
  case $kind in
  *zeros* | *bytes*) ;;
  *cs*) names_alike "$WORK/g.txt" "" && names_alike "$WORK/g.txt" --showcs ;;
  *) names_alike "$WORK/g.txt" "" ;;
  esac
}

made_up_shown() {
  while read -r functions kind; do
    [ -z "$(unknown_to "$LLVM_HOST" "$kind")" ] || continue
    check "profile show: as llvm-profdata-$LLVM_HOST, $kind, $functions" made_alike
  done <<LIST
1 fe
300 fe
3000 fe zeros bitmaps
300 ir values
500 ir locals values strangers
100 ir traces
50 ir traces stream
70 ir bytes traces
90 ir values vtables
500 cs
1000 cs values vtables traces bitmaps
LIST
}

# For files without records, llvm-profdata shows its merged profile: in older
# releases without the build id.
correlated_shown() {
  [ "$llvm" -ge 15 ] || without='/^id /d'
  "llvm-profdata-$llvm" merge "$1=$file" "$file-1.profraw" \
    -o "$WORK/p.profdata" 2>"$WORK/why" &&
    alike "$llvm" "$WORK/p.profdata" "$file-1.profraw" --elf "$file"
}

program_shown() {
  without=
  program_of || return
  case $mode in
  binary) correlated_shown --binary-file ;;
  debug*) correlated_shown --debug-info ;;
  *)
    one=$file-1.profraw
    merged "$llvm" "$one" "$file-2.profraw" "$WORK/p.profdata" &&
      alike "$llvm" "$one" "$one" &&
      alike "$llvm" "$WORK/p.profdata" "$WORK/p.profdata" || return
    [ "$mode" != cs-ir ] ||
      alike "$llvm" "$WORK/p.profdata" "$WORK/p.profdata" --cs
    ;;
  esac
}

programs_shown() {
  for llvm in ${LLVM:-14 19 22}; do
    label="profile show: a program of clang $llvm"
    have_llvm "$llvm" || { skip "$label" "no clang-$llvm"; continue; }
    modes_of "$llvm" >"$OUT/modes"
    while IFS='|' read -r mode from to flags; do
      check "$label, $mode" program_shown
    done <"$OUT/modes"
  done
}

# show finds the hottest functions without sorting all: among many with equal
# counts, it must choose the same ones.
few_of_all() {
  awk 'BEGIN { print ":ir"; for (i = 299; i >= 0; i--)
    printf "f%d\n%d\n2\n%d\n%d\n\n", i * 7 % 300, i, i % 3, i % 5 }' \
    >"$WORK/many.proftext" || return 1
  for few in 1 9 64; do
    "$BAREPROF" show --all-functions "$WORK/many.proftext" |
      sed "$((few + 1))q" >"$WORK/theirs"
    "$BAREPROF" show --top $few "$WORK/many.proftext" >"$WORK/ours" \
      2>"$WORK/why"
    same_lines || return 1
  done
}

mkdir -p "$WORK"
if ! $MAKE -s tool; then
  not_ok "profile show" "the tool cannot be made"
elif build_told; then
  if have_llvm $LLVM_HOST; then
    made_up_shown
    programs_shown
    check "profile show: pseudo counts" pseudo_merged
    check "profile show: hashes of the front end have all bits" front_end_bit
  else
    skip "profile show" "no LLVM 22"
  fi
  check "profile show: the hottest as among all" few_of_all
  by_hand
  errors
fi
