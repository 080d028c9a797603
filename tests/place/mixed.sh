# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Random images of objects of all kinds: each report agrees with clang's own
# counters of the same sources on the host, or an error names objects of
# different kinds.

# twin: writes the lines of the sources, with clang's counters on the host, to
# TWIN.
twin() {
  for source in u*.c*; do
    compiler=clang-$release
    case $source in *.cpp) compiler=clang++-$release ;; esac
    $compiler -w -fprofile-instr-generate -fcoverage-mapping -c "$source" \
      -o "twin-$source.o" || return 1
  done
  "clang-$release" -w -fprofile-instr-generate ./twin-*.o -x c program.c \
    "$MIXED/host.c" -o twin-host &&
    LLVM_PROFILE_FILE=twin.profraw ./twin-host &&
    "llvm-profdata-$release" merge twin.profraw -o twin.profdata &&
    "llvm-cov-$release" export -format=lcov twin-host \
      -instr-profile=twin.profdata >twin.lcov && lines_of twin.lcov >twin
}

# lines_of LCOV: prints source, line, count; for byte counters, whether the line
# ran.
lines_of() {
  awk -F '[:,]' -v flags="$flags" '
    /^SF:/ { sub(/.*\//, ""); sub(/^SF:/, ""); file = $0 }
    /^DA:/ && file ~ /^(u[0-9]|shared)/ {
      print file, $2, flags ? ($3 > 0) : $3 }' "$1" | LC_ALL=C sort -u
}

# object SOURCE LEVEL COUNTERS PLACE: compiles an object for the row's target.
object() {
  case $1 in *.cpp) compiler="clang++-$release -fno-exceptions -fno-rtti" ;;
    *) compiler=clang-$release ;; esac
  target="--target=thumbv7m-none-eabi -ffreestanding"
  [ "$way" = host ] && target=-fPIE
  case $4-$3 in
    bss-32-packed | bss-byte* | *-trace) ;; # not from bitcode
    *) [ "$lto" = none ] || target="$target -flto=$lto" ;;
  esac
  case $3 in
    plain) launcher= ;;
    byte-*) launcher="$BAREPROF cc --counters=byte --mcdc=${3#*-}" ;;
    *) launcher="$BAREPROF cc --counters=$3" ;;
  esac
  [ "$3" = plain ] || launcher="$launcher --place=$4"
  mcdc=-fcoverage-mcdc
  [ "$release" -ge 19 ] || mcdc=
  # shellcheck disable=SC2086 # Several flags.
  $launcher $compiler $target -w -g $2 -ffunction-sections -fdata-sections \
    -fprofile-instr-generate -fcoverage-mapping $mcdc -c "$1" -o "$1.o" ||
    return 1
  # Drops constructors of old releases, as the docs say.
  [ "$release" -ge 18 ] || [ "$way" = host ] ||
    llvm-objcopy-22 --remove-section .init_array.0 "$1.o" 
}

# linked_mixed: links fw.elf from the objects and from code that is not
# measured.
linked_mixed() {
  others="program.o"
  if [ "$way" = host ]; then
    how="-fuse-ld=lld"
    [ "$linker" = gnu ] && how=-fuse-ld=bfd
    [ "$lto" = none ] || how="$how -flto=$lto"
    [ "$gc" = all ] || how="$how -Wl,--gc-sections"
    "clang-$release" -w -c program.c -o program.o &&
      "clang-$release" -w -c "$MIXED/host.c" -o main.o &&
      "clang-$release" $how -Wl,--build-id -w -fprofile-instr-generate \
        ./u*.o program.o main.o -o fw.elf
    return
  fi
  plain="clang-$release --target=thumbv7m-none-eabi -mcpu=cortex-m3 -w -O1 \
    -ffreestanding -ffunction-sections -I$TOP/include -I$TOP/$START"
  main=-DSEND=BAREPROF_TEXT scripts="-T $TOP/$START/mps2-an385.ld"
  [ "$way" = lean ] && main="-DSEND=BAREPROF_TEXT|BAREPROF_LEAN"
  [ "$way" = bss ] && main=
  if [ "$way" != bss ]; then
    kind=insert
    [ "$way" = full ] || kind=lean-insert
    case $way-$first in lean-32-packed) kind=packed-insert ;; esac
    scripts="-L $TOP/linker-scripts $scripts -T $TOP/$START/regions.ld \
      -T $TOP/linker-scripts/bareprof-$kind.ld"
  fi
  $plain -c program.c -o program.o && $plain $main -c "$MIXED/target.c" \
    -o main.o && $plain -c "$TOP/$START/mps2-an385.c" -o start.o &&
    $plain -c "$TOP/$START/libc.c" -o libc.o || return 1
  ld="ld.lld-$release"
  [ "$linker" = lld ] || ld=$gnu
  [ "$linker-$lto" = gnu-full ] || [ "$linker-$lto" = gnu-thin ] &&
    ld="$gnu -plugin /usr/lib/llvm-$release/lib/LLVMgold.so"
  [ "$gc" = all ] || ld="$ld --gc-sections"
  [ "$way" = bss ] || ld="$ld --build-id -u bareprof_preinit"
  archive=$TOP/$BUILD/llvm-$release/thumbv7m-none-eabi/libbareprof.a
  # shellcheck disable=SC2086 # Several flags.
  $ld $scripts u*.o program.o main.o start.o libc.o $archive -o fw.elf
}

# reported_mixed: writes the report's lines to LCOV, and returns the tool's
# status.
reported_mixed() {
  how=--gdb
  case $way-$first in host-*) ;; bss-trace) how=--trace ;; bss-*) ;;
    *) how= ;; esac
  if [ "$way" = host ]; then
    LLVM_PROFILE_FILE=fw.profraw ./fw.elf || return 3
    "$BAREPROF" report fw.elf fw.profraw --as-llvm-cov -o html --lcov fw.lcov
  else
    # shellcheck disable=SC2086 # None, or one.
    timeout 60 "$BAREPROF" run $how fw.elf --as-llvm-cov -o html --timeout 5 \
      --lcov fw.lcov -- $qemu -nographic -monitor none -kernel fw.elf
  fi
}

# image SEED: prints `right', `refused' or what is wrong.
image() {
  rm -rf "$OUT/mixed/$1" && mkdir -p "$OUT/mixed/$1" || return 1
  awk -v seed="$1" -v releases="$RELEASES" -v out="$OUT/mixed/$1" \
    -f $HERE/mixed.awk >"$OUT/mixed/$1/plan" || return 1
  (
    cd "$OUT/mixed/$1" || exit 1
    read -r _ way release linker lto gc joined <plan
    first=$(awk '$1 == "object" { print $4; exit }' plan)
    kinds=$(awk '$1 == "object" { sub(/-b.*/, "", $4); sub(/^(plain|32|32-atomic)$/, "64", $4)
      print $4, $5 }' plan | LC_ALL=C sort -u | wc -l)
    flags=$(grep -c " byte" plan)
    [ "$flags" = 0 ] && flags=
    while read -r _ source level counters place; do
      object "$source" "$level" "$counters" "$place" >"$source.said" 2>&1 ||
        { echo "no object: $(tail -n 1 "$source.said")"; exit 0; }
    done <<OBJECTS
$(grep ^object plan)
OBJECTS
    if [ "$joined" = joined ]; then
      ld=$gnu
      [ "$linker" = lld ] && ld=ld.lld-$release
      [ "$way" = host ] && ld=ld
      two=$(ls u*.o | head -n 2)
      # shellcheck disable=SC2086 # Two files.
      $ld -r $two -o u-joined.o 2>joined.said && rm $two
    fi
    linked_mixed >link.said 2>&1 ||
      { echo "no link: $(grep -m 1 -i 'error\|undefined\|multiple' link.said)"; exit 0; }
    reported_mixed >said 2>&1
    status=$?
    [ $status = 0 ] || { echo "status $status, kinds $kinds: $(grep -m 1 bareprof: said)"; exit 0; }
    twin || { echo "no twin"; exit 0; }
    lines_of fw.lcov >lines
    cmp -s lines twin && { echo right; exit 0; }
    echo "wrong: $(LC_ALL=C comm -3 lines twin | head -n 3 | tr '\n\t' '; ')"
  )
}

# said_mixed COMMAND...: the command fails, and names both objects.
said_mixed() {
  said=$(timeout 30 "$BAREPROF" "$@" 2>&1) && { echo "$1: status 0"; return 1; }
  case $(echo "$said" | one_line | tr -s ' ') in
    *"objects have different counters: b.c with 8-byte counters, a.c with $other; rebuild all"*)
      ;;
    *) echo "$1: $said"; return 1 ;;
  esac
}

# readers COUNTERS: each command rejects such an image, before anything else.
readers() {
  cd "$OUT/mixed" || return 1
  echo 'int b(int); int a(int x) { return x > 2 ? b(x) : 1; }' >a.c
  echo 'int b(int x) { return x > 3 && x < 7; }' >b.c
  mode=$1 other="byte counters"
  [ "$mode" = trace ] && other="trace points"
  for object in a-"$mode" b-64; do
    "$BAREPROF" cc --coverage --counters="${object#?-}" clang-22 \
      --target=thumbv7m-none-eabi -ffreestanding -O1 -c "${object%%-*}.c" \
      -o "${object%%-*}.o" || return 1
  done
  ld.lld-22 a.o b.o -e a -o ab.elf && head -c 4096 /dev/zero >zeros || return 1
  quiet="$qemu -nographic -kernel ab.elf"
  # shellcheck disable=SC2086 # A command with its flags.
  said_mixed doctor ab.elf && said_mixed report ab.elf zeros -o none &&
    said_mixed run --gdb ab.elf -o none -- $quiet &&
    said_mixed run --trace ab.elf -o none -- $quiet &&
    said_mixed trace --list ab.elf -o none &&
    said_mixed join ab.elf -m zeros@0x20000000 -o none &&
    said_mixed receive --port gdb:127.0.0.1:1 ab.elf -o none &&
    said_mixed receive --elf ab.elf --port zeros -o none &&
    said_mixed merge --elf ab.elf zeros -o none &&
    said_mixed show --elf ab.elf zeros && said_mixed extract ab.elf -o none &&
    said_mixed live ab.elf --port zeros && [ ! -e none ]
}

# Both objects have only one function, whose record and counters come from the
# other object: only the object's own string tells its kind.
only_shared() {
  cd "$OUT/mixed" || return 1
  echo 'inline int f(int x) { return x > 2 ? 5 : 1; }' >f.h
  echo '#include "f.h"
int a(int x) { return f(x); }' >a.cpp
  echo '#include "f.h"
extern "C" int (*const b)(int) = f;' >b.cpp
  for one in a-byte b-64; do
    "$BAREPROF" cc --coverage --counters="${one#?-}" clang++-22 \
      --target=thumbv7m-none-eabi -ffreestanding -O1 -c "${one%%-*}.cpp" \
      -o "${one%%-*}.o" || return 1
  done
  for linker in "$gnu --gc-sections -u b" "ld.lld-22 -u b"; do
    $linker a.o b.o -e _Z1ai -o ab.elf &&
      ! "$BAREPROF" doctor ab.elf >said && grep -q 'D086.*b.cpp with 8' said ||
      { cat said; return 1; }
  done
}

# An object of clang has no such string, but its names of functions show it.
beside_clang() {
  cd "$OUT/mixed" || return 1
  flags="--target=thumbv7m-none-eabi -ffreestanding -O1 -fprofile-instr-generate"
  for mapping in -fcoverage-mapping ""; do
    # shellcheck disable=SC2086 # Several flags.
    "$BAREPROF" cc --counters=byte clang-22 $flags -fcoverage-mapping \
      -c a.c -o a.o && clang-22 $flags $mapping -c b.c -o b.o || return 1
    for linker in "$gnu --gc-sections" ld.lld-22; do
      $linker a.o b.o -e a -o ab.elf && ! "$BAREPROF" doctor ab.elf >said &&
        grep -q "D086.* with 8-byte" said ||
        { cat said; return 1; }
    done
  done
}

# Objects of two clang releases have records of two raw versions. The doctor says
# so, and misses neither clang's section of counters nor names.
two_releases() {
  cd "$OUT/mixed" || return 1
  echo 'int b(int); int a(int x) { return x > 2 ? b(x) : 1; }' >a.c
  echo 'int b(int x) { return x > 3 && x < 7; }' >b.c
  for one in a-22 b-14; do
    "$BAREPROF" cc --coverage clang-"${one#?-}" --target=thumbv7m-none-eabi \
      -ffreestanding -O1 -c "${one%%-*}.c" -o "${one%%-*}.o" || return 1
  done
  ld.lld-22 a.o b.o -e a -o ab.elf && ! "$BAREPROF" doctor ab.elf >said &&
    grep -q '^error *D040 ' said && ! grep 'D012\|D014' said ||
    { cat said; return 1; }
}

# The firmware sends, but the archive does not find the counters: run and doctor
# say so, and run --gdb reads them.
sends() {
  cd "$OUT/mixed" || return 1
  plain="clang-22 --target=thumbv7m-none-eabi -mcpu=cortex-m3 -O1 -g -w \
    -ffreestanding -I$TOP/include"
  # shellcheck disable=SC2086 # Several flags.
  "$BAREPROF" cc --coverage --counters=32 $plain \
    -c "$TOP/$START/thermostat.c" -o t.o &&
    $plain -c "$TOP/$START/main.c" -o m.o &&
    $plain -c "$TOP/$START/mps2-an385.c" -o s.o &&
    $plain -c "$TOP/$START/libc.c" -o l.o &&
    ld.lld-22 --gc-sections --build-id -u bareprof_preinit \
      -L "$TOP/linker-scripts" -T "$TOP/$START/mps2-an385.ld" \
      -T "$TOP/$START/regions.ld" -T "$TOP/linker-scripts/bareprof-insert.ld" \
      t.o m.o s.o l.o \
      "$TOP/$BUILD/llvm-22/thumbv7m-none-eabi/libbareprof.a" -o fw.elf || return 1
  "$BAREPROF" doctor fw.elf | grep -q '^warning D038 ' || return 1
  run="-o html --timeout 2 -- $qemu -nographic -monitor none -kernel fw.elf"
  # shellcheck disable=SC2086 # Several words.
  "$BAREPROF" run fw.elf $run >said 2>&1 && return 1
  grep -q "does not send counters of --place=bss; add --gdb" said ||
    { cat said; return 1; }
  # shellcheck disable=SC2086 # Several words.
  "$BAREPROF" run --gdb fw.elf $run >said 2>&1 && grep -q ^thermostat.c said &&
    grep -q '2^32, .*; for larger counts use bareprof cc --counters=64$' said ||
    { cat said; return 1; }
}

# outcomes WAY FIRST SECOND: one object has MC/DC outcomes as bits, another one
# as bytes. Known by hand: no vector with the last condition true ran in the
# second decision.
outcomes() {
  rm -rf "$OUT/mixed/outcomes"
  mkdir -p "$OUT/mixed/outcomes" && cd "$OUT/mixed/outcomes" || return 1
  echo 'int a(int x, int y) { return x > 2 && y < 9; }' >u1.c
  echo 'int b(int x, int y) { return x > 7 || y < 3; }' >u2.c
  echo 'int a(int, int), b(int, int);
    int program(void) {
      return a(1, 1) + a(3, 1) + a(3, 10) + b(1, 5) + b(8, 5);
    }' >program.c
  way=$1 release=22 linker=lld lto=none gc=gc first=byte place=sections
  [ "$way" = bss ] && place=bss
  object u1.c -O1 "byte-$2" $place && object u2.c -O1 "byte-$3" $place &&
    linked_mixed && reported_mixed >said 2>&1 || { cat said; return 1; }
  found=$(awk '/^u[12].c/ { print $1, $(NF - 1), $NF }' said | one_line)
  [ "$found" = "u1.c 100.00 0 u2.c 50.00 1 " ] || { cat said; return 1; }
}

# images FIRST LAST LEAST: no image is wrong; at least LEAST are right.
images() {
  bad=0 right=0
  for seed in $(seq "$1" "$2"); do
    said=$(image "$seed")
    case $said in
      right) right=$((right + 1)) ;;
      "status 1, kinds "[2-9]*"objects have different counters"* | \
        "no link: "*"bareprof: counters of "*) ;;
      *) bad=$((bad + 1)); echo "$seed: $said" ;;
    esac
  done
  [ $bad = 0 ] && at_least "$3" $right
}

mixed() {
  RELEASES="14 19 22"
  MIXED=$PWD/$HERE/mixed TOP=$PWD
  short=$OUT OUT=$PWD/$OUT
  mkdir -p "$OUT/mixed"
  for release in $RELEASES; do
    needs "place mixed" "llvm:$release" || return
    $MAKE -s lib LLVM="$release" TARGET=thumbv7m-none-eabi || return
  done
  for mode in byte trace; do
    check "place mixed: each command names objects with $mode" readers $mode
  done
  check "place mixed: an object all of whose functions others have" only_shared
  check "place mixed: an object by clang alone" beside_clang
  check "place mixed: two clang releases" two_releases
  check "place mixed: the archive sends no counters of .bss, it is said" sends
  for way in bss full lean; do
    check "place mixed: bits and bytes of outcomes, $way" outcomes $way bits bytes
    sole "place mixed: bytes and bits, $way" outcomes $way bytes bits
  done
  if [ "${FULL:-}" ]; then
    check "place mixed: 200 images, none wrong" images 1 200 140
  else
    check "place mixed: images of any kinds, none wrong" images 1 3 2
  fi
  OUT=$short
}
