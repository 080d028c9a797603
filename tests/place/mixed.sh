# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Images of objects of any kinds, by chance: what report says of each is what
# clang's own counters say of the same sources on the host; or objects of
# several kinds are refused, by names.

# twin: the lines of the sources, by clang alone: TWIN.
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

# lines_of LCOV: source, line, count; of flags, whether it ran.
lines_of() {
  awk -F '[:,]' -v flags="$flags" '
    /^SF:/ { sub(/.*\//, ""); sub(/^SF:/, ""); file = $0 }
    /^DA:/ && file ~ /^(u[0-9]|shared)/ {
      print file, $2, flags ? ($3 > 0) : $3 }' "$1" | LC_ALL=C sort -u
}

# object SOURCE LEVEL COUNTERS PLACE
object() {
  case $1 in *.cpp) compiler="clang++-$release -fno-exceptions -fno-rtti" ;;
    *) compiler=clang-$release ;; esac
  target="--target=thumbv7m-none-eabi -ffreestanding"
  [ "$way" = host ] && target=-fPIE
  case $4-$3 in
    bss-32-packed | bss-flags* | *-labels) ;; # not of bitcode
    *) [ "$lto" = none ] || target="$target -flto=$lto" ;;
  esac
  case $3 in
    plain) launcher= ;;
    flags-*) launcher="$BAREPROF cc --counters=flags --mcdc=${3#*-}" ;;
    *) launcher="$BAREPROF cc --counters=$3" ;;
  esac
  [ "$3" = plain ] || launcher="$launcher --place=$4"
  mcdc=-fcoverage-mcdc
  [ "$release" -ge 19 ] || mcdc=
  # shellcheck disable=SC2086 # Several flags.
  $launcher $compiler $target -w -g $2 -ffunction-sections -fdata-sections \
    -fprofile-instr-generate -fcoverage-mapping $mcdc -c "$1" -o "$1.o" ||
    return 1
  # Constructors of old releases, as docs say.
  [ "$release" -ge 18 ] || [ "$way" = host ] ||
    llvm-objcopy-22 --remove-section .init_array.0 "$1.o" 
}

# linked: fw.elf of the objects, and of code that is not measured.
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

# read: the report's lines into LCOV; the tool's status.
reported_mixed() {
  how=--gdb
  case $way-$first in host-*) ;; bss-labels) how=--trace ;; bss-*) ;;
    *) how= ;; esac
  if [ "$way" = host ]; then
    LLVM_PROFILE_FILE=fw.profraw ./fw.elf || return 3
    "$BAREPROF" report fw.elf fw.profraw -o html --lcov fw.lcov
  else
    # shellcheck disable=SC2086 # None, or one.
    timeout 60 "$BAREPROF" run $how fw.elf -o html --timeout 5 --lcov fw.lcov \
      -- $qemu -nographic -monitor none -kernel fw.elf
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
    flags=$(grep -c ' flags' plan)
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
