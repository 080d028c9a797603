# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof cc --counters=byte: except for counts, a report of byte counters has
# the lines, regions, branches and MC/DC of a report of counters. `run` sources
# this file. flags_same excludes programs of the corpus that leave functions
# before their ends: for those, counts that clang subtracts are wrong, and byte
# counters are right.

# Compiles a program with clang or with the launcher, and makes its report.
# $limit: the program's argument, or none. $loose: drops the report's list of
# decisions that MC/DC does not measure, which is guessed from counts. The
# number of lines whose counts llvm-cov does not give depends on counts, too,
# and is dropped.
flags_report() {
  side=$1
  shift
  # shellcheck disable=SC2086 # A word, or none.
  "$@" -o "$OUT/flags.o" && "$compiler" $flags "$OUT/flags.o" \
    -o "$OUT/flags.$side" &&
    (cd "$OUT" && LLVM_PROFILE_FILE=flags.$side.profraw ./flags.$side \
      ${limit-}) \
      >"$OUT/flags.said" 2>&1
  # shellcheck disable=SC2086 # An option, or none.
  (cd "$OUT" && "$BAREPROF" report flags.$side flags.$side.profraw ${as-} \
    --lcov flags.$side.lcov >flags.$side.table) &&
    sed -i "1d;/^Other counts/,/^\$/d${loose:+;/^Decisions not/,/^\$/d}" \
      "$OUT/flags.$side.table" &&
    sed -E 's/^(DA:.*,|FNDA:|BRDA:.*,)[1-9][0-9]*/\1N/' \
      "$OUT/flags.$side.lcov" >"$OUT/flags.$side.lines"
}

# Both builds have the same table, and the same lines of the tracefile.
flags_same() {
  limit=${2-}
  flags_report clang "$compiler" $flags -c "$1" &&
    flags_report ours "$BAREPROF" cc --counters=byte "$compiler" $flags \
      -c "$1" &&
    cmp "$OUT/flags.clang.table" "$OUT/flags.ours.table" &&
    cmp "$OUT/flags.clang.lines" "$OUT/flags.ours.lines"
}

flags_all() {
  mcdc=
  [ "$1" -lt 19 ] || mcdc=-fcoverage-mcdc
  for name in $2; do
    source=$(ls tests/corpus/programs/$name.c*)
    case $source in
      *.cpp) compiler=clang++-$1 standard=-std=c++17 ;;
      *) compiler=clang-$1 standard= ;;
    esac
    for level in ${FULL:+-O0 -Os} -O2; do
      flags="$level -w $standard $COUNTED $mcdc"
      # Counters tell more lines of a `try` that ran than bytes do.
      as=
      [ $name != exceptions ] || as=--as-llvm-cov
      flags_same "$source" && { [ -z "$mcdc" ] || flags_outcomes "$source"; } ||
        { echo "$name $level"; return 1; }
    done
  done
}

# Compares PROGRAMS random programs of csmith: the reports of byte counters, of
# all byte counters (--keep-implied) and of counters are the same. Some of the
# programs do not end.
flags_csmith() {
  compiler=clang-$1 loose=1 limit='' csmith=/usr/include/csmith
  set -- "$1" 0 0
  while [ "$2" -lt "${PROGRAMS:-12}" ]; do
    set -- "$1" "$2" $(($3 + 1))
    (cd "$OUT" && csmith --seed "$3" --max-funcs 6 --max-block-depth 3 \
      --max-block-size 3 >csmith.c) && # csmith also writes platform.info.
      "$compiler" -w -O1 "-I$csmith" "$OUT/csmith.c" -o "$OUT/csmith" || return 1
    timeout 2 "$OUT/csmith" >"$OUT/csmith.said" || continue
    set -- "$1" $(($2 + 1)) "$3"
    level=$(echo "-O0 -O1 -O2 -Os -O3" | cut -d ' ' -f $(($3 % 5 + 1)))
    flags="$level -w -I$csmith $COUNTED"
    [ "$1" -lt 19 ] || flags="$flags -fcoverage-mcdc"
    { flags_same "$OUT/csmith.c" && flags_report all "$BAREPROF" cc \
      --counters=byte --keep-implied "$compiler" $flags -c "$OUT/csmith.c" &&
      cmp "$OUT/csmith.said" "$OUT/flags.said" &&
      cmp "$OUT/flags.ours.table" "$OUT/flags.all.table" &&
      cmp "$OUT/flags.ours.lines" "$OUT/flags.all.lines" && {
        [ "$1" -lt 19 ] || flags_outcomes "$OUT/csmith.c"; }; } 2>"$OUT/said" || {
      echo "seed $3 $level: $(grep -v -A 2 warning "$OUT/said" | tail -n 3)"
      return 1
    }
  done
  loose=
}

# Programs of the corpus that leave functions before their ends have the same
# report with and without --keep-implied, where each byte counter says whether
# its place ran.
flags_left() {
  compiler=clang++-$1 limit='' loose=
  for name in $2; do
    source=$(ls tests/corpus/programs/$name.c*)
    case $source in *.c) compiler=clang-$1 standard= ;;
      *) compiler=clang++-$1 standard=-std=c++20 ;; esac
    for level in -O0 -Os -O2; do
      flags="$level -w $standard $COUNTED"
      for keep in "" --keep-implied; do
        # shellcheck disable=SC2086 # A flag, or none.
        flags_report "kept$keep" "$BAREPROF" cc --counters=byte $keep \
          "$compiler" $flags -c "$source" || return 1
      done
      cmp "$OUT/flags.kept.table" "$OUT/flags.kept--keep-implied.table" &&
        cmp "$OUT/flags.kept.lines" "$OUT/flags.kept--keep-implied.lines" ||
        { echo "$name $level"; return 1; }
    done
  done
}

# llvm-cov finds the functions of a profile that merge writes for its release:
# each hash has the bits that the index version keeps.
flags_merged() {
  m=$OUT/merged
  "$BAREPROF" cc --counters=byte clang-$1 -O2 -w $COUNTED -c \
    tests/corpus/programs/decisions.c -o "$m.o" &&
    clang-$1 $COUNTED "$m.o" -o "$m"
  LLVM_PROFILE_FILE=$m.profraw "$m" # Its exit status is not 0.
  "$BAREPROF" merge "$m.profraw" --for-llvm "$1" -o "$m.ours" &&
    "llvm-profdata-$1" merge "$m.profraw" -o "$m.theirs" || return 1
  for side in ours theirs; do
    "llvm-cov-$1" export -format=lcov "$m" -instr-profile "$m.$side" \
      >"$m.$side.lcov" 2>"$m.said" && [ ! -s "$m.said" ] ||
      { echo "$side: $(one_line <"$m.said")"; return 1; }
  done
  grep -q '^FNF:3$' "$m.ours.lcov" && cmp "$m.theirs.lcov" "$m.ours.lcov"
}

# Each byte counter is one byte, and no code loads it.
flags_bytes() {
  "$BAREPROF" cc --counters=byte $NEWEST --target=riscv32-unknown-elf \
    -ffreestanding $COUNTED -O2 -S examples/coverage/nmea.c -o "$OUT/flags.s" &&
    grep -q '^\.L__profc_' "$OUT/flags.s" && ! grep -q 'amoadd' "$OUT/flags.s" &&
    grep -q 'sb.*zero' "$OUT/flags.s"
}

# With -save-temps, the driver compiles bitcode: the byte counters are the same.
flags_save_temps() {
  mkdir -p "$OUT/temps"
  for more in "" -save-temps=obj; do
    # shellcheck disable=SC2086 # A flag, or none.
    "$BAREPROF" cc --counters=byte $NEWEST $COUNTED -O2 $more \
      -c examples/coverage/nmea.c -o "$OUT/temps/t.o" || return 1
    "llvm-size-${NEWEST#clang-}" -A "$OUT/temps/t.o" |
      grep __llvm_prf_cnts >"$OUT/temps/sizes$more"
  done
  [ -s "$OUT/temps/sizes" ] &&
    cmp "$OUT/temps/sizes" "$OUT/temps/sizes-save-temps=obj"
}

# Prints how many byte counters a source has.
flags_count() {
  "$BAREPROF" cc --counters=byte $NEWEST -O1 -w $COUNTED -x "$1" -c - \
    -o "$OUT/count.o" && "llvm-size-${NEWEST#clang-}" -A "$OUT/count.o" |
    awk '$1 == "__llvm_prf_cnts" { sum += $2 } END { print sum }'
}

# Known by hand: a byte counter follows from both branches, unless a call stands
# before them, except a call of code that always returns. It also follows from
# the body of a loop, but not where other objects may have the code.
flags_dropped() {
  both='if (a) x = 1; else x = 2;'
  while read -r count language code; do
    seen=$(printf '%s\n' "extern int x; extern int ext(void); $code" |
      flags_count "$language") && [ "$seen" = "$count" ] || {
      echo "$seen flags, not $count: $code"
      return 1
    }
  done <<END
2 c void f(int a) { $both }
3 c void f(int a) { ext(); $both }
3 c void f(int a) { asm(""); $both }
3 c static int q(void) { return x; } void f(int a) { q(); $both }
4 c static int q(void) { return ext(); } void f(int a) { q(); $both }
4 c static int q(int n) { return q(n); } void f(int a) { q(a); $both }
3 c void f(int a) { while (x) ; $both }
2 c++ void f(int a) { $both }
4 c++ inline void i(int a) { $both } void f(int a) { i(a); }
3 c inline void f(int a) { $both } extern inline void f(int);
3 c __attribute__((noinline)) void f(int a) { $both }
END
}

# Known by hand, and the same with MC/DC: a byte counter for each way through
# the conditions, and none for the code after the first decision's last
# condition.
flags_decisions() {
  for mcdc in "" -fcoverage-mcdc; do
    # shellcheck disable=SC2086 # A flag, or none.
    "$BAREPROF" cc --counters=byte $NEWEST -O1 -w $COUNTED $mcdc -x c -c - \
      -o "$OUT/count.o" <<END || return 1
int f(int a, int b, int c) {
  if ((a > 3 && b) || c < 2) return 1;
  if (a == b && c) return 5;
  return 2;
}
END
    equal_words "7" "$("llvm-size-${NEWEST#clang-}" -A "$OUT/count.o" |
      awk '$1 == "__llvm_prf_cnts" { print $2 " " }')" || return 1
  done
}

# A dump in the middle of functions shows the same code as with --keep-implied.
# The program's argument says at which place it ends.
flags_middle() {
  compiler=clang-$1 flags="-O2 -w $COUNTED" stride=${FULL:+1}
  stride=${stride:-31}
  [ "$1" -lt 19 ] || flags="$flags -fcoverage-mcdc"
  for keep in "" --keep-implied --mcdc=bytes; do
    "$BAREPROF" cc --counters=byte $keep "$compiler" $flags \
      -c tests/cc/flags_middle.c -o "$OUT/middle.o" &&
      "$compiler" $flags "$OUT/middle.o" -o "$OUT/middle$keep" || return 1
  done
  for place in $(seq 1 $stride 252); do
    for keep in "" --keep-implied --mcdc=bytes; do
      (cd "$OUT" && LLVM_PROFILE_FILE=middle$keep.profraw \
        "./middle$keep" "$place" &&
        "$BAREPROF" report middle$keep middle$keep.profraw \
          --lcov middle.lcov >/dev/null &&
        sed -E 's/^(DA:.*,|FNDA:|BRDA:.*,)[1-9][0-9]*/\1N/' middle.lcov \
          >"middle$keep.lines") || return 1
    done
    cmp "$OUT/middle.lines" "$OUT/middle--keep-implied.lines" &&
      cmp "$OUT/middle.lines" "$OUT/middle--mcdc=bytes.lines" || {
      echo "in a dump at place $place"
      return 1
    }
  done
}

# Sends a signal after each instruction, whose handler runs the same code. With
# clang's counters, some runs differ.
flags_sweep() (
  export LLVM_PROFILE_FILE="$OUT/sweep.profraw"
  for level in -O0 -O2 "-O0 -fcoverage-mcdc" "-O2 -fcoverage-mcdc"; do
    "$BAREPROF" cc --counters=byte --mcdc=bytes $NEWEST $level -w $COUNTED \
      tests/cc/flags_sweep.c -o "$OUT/sweep" && "$OUT/sweep" || return 1
  done
  $NEWEST -O0 -w $COUNTED tests/cc/flags_sweep.c -o "$OUT/sweep" &&
    ! "$OUT/sweep"
)

# Leaves functions in the middle of an expression, at each of its calls: byte
# counters and clang's counters agree.
flags_leave() {
  compiler=clang-$1
  for level in -O0 -O2; do
    flags="$level -w $COUNTED"
    for limit in "" 1 2 3 4; do
      flags_same tests/cc/flags_leaves.c $limit || {
        echo "$level, left at call $limit"
        return 1
      }
    done
  done
}

# More such places than bareprof cc searches are an error that names the
# function.
flags_lost() {
  { sed -n '/^#define TRY/,/})$/p' tests/cc/flags_leaves.c
    echo 'int next(int); void k(int *);
int lost(int a) {
  int x __attribute__((cleanup(k))) = 3;
  for (int i = TRY(next(a)); i < TRY(next(i)); i += TRY(next(3))) {
    int z __attribute__((cleanup(k))) = TRY(next(i));
    if (z) break;
  }
  return TRY(next(x)) ? TRY(next(2)) : 4;
}'; } >"$OUT/lost.c"
  ! "$BAREPROF" cc --counters=byte $NEWEST -O2 -w $COUNTED -c "$OUT/lost.c" \
    -o "$OUT/lost.o" 2>"$OUT/lost.said" &&
    grep -q 'lost.c: lost: a coverage region has no matching block' "$OUT/lost.said"
}

# 800 branches take less than 4 seconds of the processor.
flags_chain() (
  awk 'BEGIN {
    print "extern int x; void f(int a) {"
    for (i = 0; i < 800; i++)
      printf "if (a == %d) x = %d; else\n", i * 7, i
    print "x = 1; }" }' >"$OUT/chain.c"
  ulimit -t 4
  "$BAREPROF" cc --counters=byte $NEWEST -fbracket-depth=900 $COUNTED \
    -c "$OUT/chain.c" -o "$OUT/chain.o"
)

# flags_stores IFS CASES: prints a program with so many `if` and cases.
flags_stores() {
  awk -v ifs="$1" -v cases="$2" 'BEGIN {
    print "int main(int c, char **v) { int r = c; (void)v;"
    while (i++ < ifs) print "if (r & " i ") r++;"
    print "for (int i = 0; i < 90; i += 7) switch (i) {"
    while (n++ < cases) print "case " n ": r += " n ";" (n % 5 ? " break;" : "")
    print "default: r++; } return r; }" }'
}

# Known by hand: each case has a store at its code and one on the way to it; no
# store has a copy for each other case. The report is that of clang's counters.
flags_cases() {
  compiler=$NEWEST flags="$1 -w $COUNTED" limit=''
  flags_stores 0 60 >"$OUT/stores.c"
  # shellcheck disable=SC2086 # Flags, and an option or none.
  flags_report clang "$compiler" $flags -c "$OUT/stores.c" &&
    flags_report ours "$BAREPROF" cc --counters=byte --verbose $2 \
      "$compiler" $flags -c "$OUT/stores.c" 2>"$OUT/said" &&
    cmp "$OUT/flags.clang.table" "$OUT/flags.ours.table" &&
    cmp "$OUT/flags.clang.lines" "$OUT/flags.ours.lines" || return 1
  grep -q ': 12[0-9] byte counters, 0 implied' "$OUT/said" ||
    { cat "$OUT/said"; return 1; }
}

# flags_large CASES MOST: in a function of more than 16384 places, none is
# dropped, and it has at most MOST stores: two for each `if` and case.
flags_large() {
  make_front
  flags_stores 8300 "$1" >"$OUT/stores.c"
  "$BAREPROF" cc --counters=byte --coverage --verbose "$OUT/front" -O1 \
    -c "$OUT/stores.c" -o "$OUT/stores.o" 2>"$OUT/said"
  grep -q ', 0 implied' "$OUT/said" && at_most "$2" "$(sed -n \
    's/.*: \([0-9]*\) byte counters, .*/\1/p' "$OUT/said")"
}

# Bitcode that already has byte counters stays as it is.
flags_twice() {
  "$BAREPROF" cc --counters=byte $NEWEST $COUNTED -O1 -flto \
    -c examples/coverage/nmea.c -o "$OUT/twice.bc" &&
    "$BAREPROF" cc --counters=byte $NEWEST $COUNTED -O1 \
      -c -x ir "$OUT/twice.bc" -o "$OUT/twice.o" &&
    $NEWEST -O1 -c -x ir "$OUT/twice.bc" -o "$OUT/once.o" &&
    for name in twice once; do
      "llvm-size-${NEWEST#clang-}" -A "$OUT/$name.o" | grep __llvm_prf_cnts \
        >"$OUT/$name.sizes"
    done
  cmp "$OUT/once.sizes" "$OUT/twice.sizes"
}

# Code loads addresses from literals, unless code cannot be read; and a name
# looks like a file of arguments.
flags_thumb() {
  cp examples/coverage/nmea.c "$OUT/@at.c"
  for more in "" -mexecute-only; do
    # shellcheck disable=SC2086 # A flag, or none.
    (cd "$OUT" && "$BAREPROF" cc --counters=byte $NEWEST $COUNTED -Os $more \
      --target=thumbv7m-none-eabi -I"$HERE/../../examples/coverage" \
      -ffreestanding -S @at.c -o "at$more.s") ||
      return 1
  done
  ! grep -q 'movt.*profc' "$OUT/at.s" &&
    grep -q 'movt.*profc' "$OUT/at-mexecute-only.s"
}

# Each function has three byte counters. Each has one store, to an address that
# no register holds across code, and the compiler copies no loop, unless the
# user asks for it.
flags_alone() {
  echo 'int sum;
int both(const int *from, int a) {
  if (a > from[0] && a < from[1])
    return 1;
  return sum;
}
void loop(int n, const int *from) {
  for (int i = 0; i < n; i++)
    if (from[i])
      sum += from[i] * i;
}' >"$OUT/alone.c"
  stores_are "$1" 6 "" && stores_are "$1" 18 \
    "-funroll-loops -mllvm -sink-common-insts=false" &&
    { [ "${1#clang-}" -gt 19 ] || stores_are "$1" "5, 1 by register" \
      "-mllvm -sink-common-insts=true -fno-unroll-loops"; }
}
# stores_are COMPILER NUMBER OPTIONS: the code has NUMBER stores to byte
# counters.
stores_are() {
  # shellcheck disable=SC2086 # Options.
  "$BAREPROF" cc --counters=byte $1 $COUNTED -O2 -ffreestanding $3 -S \
    --target=thumbv7m-none-eabi -emit-llvm "$OUT/alone.c" -o "$OUT/alone.ll" ||
    return 1
  said=$(grep -c 'store i8 0' "$OUT/alone.ll")
  moved=$(grep -cE 'store i8 0, (ptr|i8\*) %' "$OUT/alone.ll")
  [ "$moved" = 0 ] || said="$said, $moved by register"
  equal_words "$2" "$said "
}

# Tests the linker's relaxation with gp at the byte counters, as in
# docs/how-to/smaller-images: one store each, and the same counts.
# flags_firmware LINKER NAME VARIABLES...
flags_firmware() {
  folder=$OUT/gp/$2
  mkdir -p "$folder"
  sed -e '/PROVIDE(__global_pointer/d' \
    -e 's/^  INCLUDE fragment/  __global_pointer$ = . + 0x7c0;\n&/' \
    targets/sections.ld >"$OUT/gp/near.ld"
  sed "s|INCLUDE sections.ld|INCLUDE $OUT/gp/near.ld|" \
    targets/virt-riscv32/board.ld >"$OUT/gp/board.ld"
  $MAKE -s firmware BOARD=virt-riscv32 LLVM="${NEWEST#clang-}" LINKER="$1" \
    NAME=firmware OUT="$folder" SOURCES=tests/target/counts.c \
    PLAIN=tests/target/report.c PROFILE="$COUNTED" FRAGMENT="INCLUDE bareprof.ld" \
    LAUNCHER="$BAREPROF cc --counters=byte --" CFLAGS_APP="-O2 $3 \
      -mcmodel=medlow -DBUFFER_SIZE=6144 -DEXPECTED_STATUS=0" \
    LDFLAGS_APP="-u bareprof_preinit $4" ${5:+"$5"} &&
    TIMEOUT=30 targets/run virt-riscv32 "$folder/firmware.elf" "$folder" \
      </dev/null >"$folder/said" 2>&1 &&
    "llvm-profdata-${NEWEST#clang-}" show --all-functions --counts \
      "$folder/counts.profraw" >"$folder/counts"
}
flags_gp() {
  more=
  [ "$1" = gnu ] || more=--relax-gp
  flags_firmware "$1" "$1-far" -mno-relax "" &&
    flags_firmware "$1" "$1" "" "$more" BOARD_SCRIPT="$OUT/gp/board.ld" &&
    cmp "$OUT/gp/$1-far/counts" "$OUT/gp/$1/counts" || return 1
  stores=$("llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn \
    "$OUT/gp/$1/firmware.elf" | grep -c 'sb.*zero, .*(gp)')
  [ "$stores" -ge "$(grep -c 'Counters: ' "$OUT/gp/$1/counts")" ] ||
    { echo "$stores stores by gp"; return 1; }
}

# One object has the symbol of a C inline function, another one has a copy.
# Known by hand: p(5) takes the first way, f(2) the second.
flags_inline() {
  i=$OUT/inline
  mkdir -p "$i"
  echo 'inline int f(int a) {
  if (a > 3)
    return 1;
  return 2;
}' >"$i/h.h"
  printf '%s\n' '#include "h.h"' 'extern inline int f(int);' \
    'int (*volatile p)(int) = f;' >"$i/a.c"
  printf '%s\n' '#include "h.h"' 'extern int (*volatile p)(int);' \
    'int main(int c, char **v) { (void)v; return (c > 1 ? f(c) : 2) + p(5) - 3; }' \
    >"$i/b.c"
  for how in -O2 "-O2 -fno-inline"; do
    for source in a b; do
      # shellcheck disable=SC2086 # Two flags, or one.
      "$BAREPROF" cc --counters=byte $1 $how $COUNTED \
        -c "$i/$source.c" -o "$i/$source.o" || return 1
    done
    for order in "a b" "b a"; do
      inline_says "$1" "$order" "1 1 1 0" && inline_says "$1" "$order" \
        "1 1 1 1" more || return 1
    done
  done
}
# inline_says COMPILER ORDER LINES [ARGUMENT]: compares which of lines 1 to 4
# ran.
inline_says() {
  objects=
  for source in $2; do objects="$objects $i/$source.o"; done
  # shellcheck disable=SC2086 # Objects, and an argument or none.
  $1 $COUNTED -Wl,--build-id $objects -o "$i/x" &&
    LLVM_PROFILE_FILE="$i/x.profraw" "$i/x" ${4-} &&
    "$BAREPROF" report "$i/x" "$i/x.profraw" --lcov "$i/x.lcov" \
      -o "$i/report" >/dev/null || return 1
  equal_words "$3" "$(sed -n '/h\.h$/,/end_of/s/^DA:[1-4],//p' "$i/x.lcov" |
    sed 's/[1-9][0-9]*/1/' | tr '\n' ' ')"
}
# Two objects have one function in different forms: its own body next to copies
# of gnu_inline, and one source compiled twice. Known by hand: a line ran if it
# ran in one of them, in any order of objects. Among the outcomes of a > 3 and
# b, one never occurred: b was always true.
flags_twins() {
  i=$OUT/twins
  mkdir -p "$i"
  cat >"$i/h.h" <<'END'
FORM int pick(int a) {
  if (a > 3)
    return 1;
  return 2;
}
END
  printf '%s\n' '#define FORM' '#include "h.h"' 'int (*volatile p)(int) = pick;' \
    >"$i/own.c"
  printf '%s\n' '#define FORM extern inline __attribute__((gnu_inline))' \
    '#include "h.h"' 'extern int (*volatile p)(int);' \
    'int main(void) { return pick(7) + p(1) - 3; }' >"$i/uses.c"
  cat >"$i/driver.c" <<'END'
int note(int a);
static int step(int a, int b) {
  NOTE(a);
  if (a > 3 && b)
    return 1;
  return 2;
}
int (*const NAME)(int, int) = step;
END
  printf '%s\n' 'extern int (*const one)(int, int), (*const two)(int, int);' \
    'int note(int a) { return a; }' \
    'int main(void) { return one(5, 1) + two(1, 1) - 3; }' >"$i/calls.c"
  for level in -O0 -O2; do
    cc="$BAREPROF cc --counters=byte $1 $level -w $COUNTED -c"
    (cd "$i" && $cc own.c -o own.o && $cc uses.c -o uses.o &&
      $cc calls.c -o calls.o &&
      $cc -DNAME=one '-DNOTE(x)=note(x)' driver.c -o one.o &&
      $cc -DNAME=two '-DNOTE(x)' driver.c -o two.o) || return 1
    for order in "own uses" "uses own"; do
      twins_say "$1" "$order" h.h "100.00 0" 1 2 3 4 || return 1
    done
    for order in "one two calls" "two one calls"; do
      twins_say "$1" "$order" driver.c "75.00 1" 2 4 5 6 || return 1
    done
  done
}
# twins_say COMPILER OBJECTS SOURCE BRANCHES LINES...: exactly these lines ran,
# and the table has these branches.
twins_say() {
  objects= twins="$2" source=$3
  for name in $2; do objects="$objects $i/$name.o"; done
  # shellcheck disable=SC2086 # Objects.
  $1 $COUNTED -Wl,--build-id $objects -o "$i/x" &&
    LLVM_PROFILE_FILE="$i/x.profraw" "$i/x" &&
    "$BAREPROF" report "$i/x" "$i/x.profraw" --lcov "$i/x.lcov" \
      -o "$i/report" >"$i/said" || return 1
  equal_words "$4" "$(awk -v of="$source" '$1 == of { print $(NF - 1), $NF }' \
    "$i/said") " || return 1
  shift 4
  for line; do
    sed -n "/$source\$/,/end_of/p" "$i/x.lcov" | grep -q "^DA:$line,[1-9]" ||
      { echo "$twins: line $line of $source did not run"; return 1; }
  done
}

# Reports are the same as with counters for operators with constants, a system
# header's macros in decisions, asm goto, and always_inline functions.
flags_forms() {
  compiler=clang-$1 limit='' loose=1
  mkdir -p "$OUT/forms"
  cat >"$OUT/forms/system.h" <<'END'
#pragma GCC system_header
#define BOTH(a, b) ((a) && (b))
#define EITHER(a, b) ((a) || (b))
#define IN(a) ((a) > 2 && (a) < 9)
END
  cat >"$OUT/forms/forms.c" <<'END'
#include "system.h"
#define MOST(a, b) ((a) > (b) ? (a) : (b))
volatile int sum;
int same(int a) { return a; }
int constants(void) {
  return same((5 < 1) ? 1 : (5 > 2) ? 2 : 3) + MOST(1, MOST(2, 3));
}
int macros(int a, int b) {
  for (int i = 0; BOTH(i < a, b); i++)
    if (EITHER(i == 1, IN(b)))
      sum++;
  while (BOTH(a > 0, a != b))
    a--;
  return !BOTH(a, b) ? IN(a) : 3;
}
int jumps(int a) {
  for (int i = 0; i < 3; i++) {
    asm goto("" : : "r"(a) : : next, out);
    if (a > i)
      sum++;
    else
      sum--;
    continue;
  next:
    sum += 2;
  }
  if (a && sum)
    sum--;
  return 1;
out:
  return sum > 2 || a ? 5 : 2;
}
static inline __attribute__((always_inline)) int always(int a, int b) {
  return a && b ? 1 : 2;
}
extern inline __attribute__((gnu_inline, always_inline)) int copied(int a) {
  return a > 2 ? a : 3;
}
int main(void) {
  sum += always(sum, 1) + always(1, 0) + copied(sum);
  return constants() + macros(3, 2) + macros(0, 7) + jumps(1) + jumps(4) == 99;
}
END
  # After an asm goto, bytes tell more lines than counters do.
  as=--as-llvm-cov
  for level in -O0 -O2; do
    for mcdc in "" -fcoverage-mcdc; do
      [ "$1" -ge 19 ] || [ -z "$mcdc" ] || continue
      flags="$level -w $COUNTED $mcdc"
      flags_same "$OUT/forms/forms.c" || { echo "$flags"; return 1; }
      [ -z "$mcdc" ] || flags_outcomes "$OUT/forms/forms.c" || return 1
    done
  done
  # For a decision that begins differently, clang's own counters are impossible.
  echo '#include "system.h"
int f(int a, int b) { while (a || BOTH(b, b < 4)) b--; return a || IN(b); }' \
    >"$OUT/forms/other.c"
  "$BAREPROF" cc --counters=byte "$compiler" $flags -c "$OUT/forms/other.c" \
    -o "$OUT/forms/other.o"
}

# equal_words EXPECTED PRINTED: compares words. PRINTED has a blank behind each.
equal_words() { [ "$1 " = "$2" ] || { echo "$2, not $1"; return 1; }; }

FLAGS="switches decisions recursion computed_goto exceptions virtual_calls
  templates ${FULL:+branches loops calls_itself memop_sizes exit_handlers lambdas
  unwinding static_objects}"
for llvm in ${LLVM:-${FULL:+14 15 16 17 18 19 20 21} 22}; do
  needs "cc flags $llvm" "llvm:$llvm" || continue
  sole "cc flags $llvm: reports are those of counters" flags_all $llvm "$FLAGS"
  sole "cc flags $llvm: one store for each" flags_alone clang-$llvm
  sole "cc flags $llvm: dumps in the middle of functions" flags_middle $llvm
  [ "$llvm" -lt 19 ] ||
    sole "cc flags $llvm: merged for its llvm-cov" flags_merged $llvm
done
for llvm in ${LLVM:-${FULL:+14 19 22}}; do
  needs "cc flags $llvm: csmith" "llvm:$llvm" csmith \
    /usr/include/csmith/csmith.h || continue
  sole "cc flags $llvm: ${PROGRAMS:-12} programs of csmith" flags_csmith $llvm
done
needs "cc flags 22: left" llvm:22 && sole \
  "cc flags 22: functions left by jumps and exceptions" flags_left 22 \
  "longjmp exceptions unwinding computed_goto ${FULL:+coroutines nested_exit
  lambdas terminate}"
sole "cc flags: those that follow from others have no store" flags_dropped
sole "cc flags: as many with MC/DC" flags_decisions
sole "cc flags: a switch at -O0 has two stores for each case" flags_cases -O0 ""
sole "cc flags: a switch with --keep-implied, too" flags_cases -O1 --keep-implied
sole "cc flags: a function of more than 16384 places" flags_large 8 16700
sole "cc flags: more than 16384 places and a large switch" \
  flags_large 300 17300
sole "cc flags: an interrupt behind each instruction" flags_sweep
sole "cc flags: stores of a byte" flags_bytes
sole "cc flags: addresses by literals on Thumb" flags_thumb
sole "cc flags: a chain of 800 branches" flags_chain
for linker in lld gnu; do
  needs "cc flags: gp $linker" board:virt-riscv32 gnu:virt-riscv32 || continue
  sole "cc flags: gp $linker: one store each" flags_gp $linker
done
sole "cc flags: bitcode that is compiled twice" flags_twice
sole "cc flags: an error names the function" flags_lost
sole "cc flags: -save-temps" flags_save_temps
for llvm in ${LLVM:-${FULL:+14 19} 22}; do
  needs "cc flags $llvm: inline" "llvm:$llvm" || continue
  sole "cc flags $llvm: inline functions of C" flags_inline clang-$llvm
  sole "cc flags $llvm: functions left in expressions" flags_leave $llvm
  sole "cc flags $llvm: one function with other flags" flags_twins clang-$llvm
  sole "cc flags $llvm: constants, system headers, asm goto" flags_forms $llvm
done
