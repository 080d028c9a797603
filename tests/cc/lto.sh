# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# LTO merges objects of `bareprof cc`: two of the demo's into one module, next
# to objects without LTO, and with `ld -r` in between. The image must say that
# its counters have 32 bits, and its counts must fit the recording. `run`
# sources this file.
# shellcheck disable=SC2046 # Several flags.

lto_out=$OUT/lto
lto_from=examples/coverage

# lto_object NAME FLAG: compiles examples/coverage/NAME.c.
lto_object() {
  "$BAREPROF" cc --counters=32 "clang-$lto_llvm" $(board_flags "$lto_board") \
    $lto_relax -O1 -ffreestanding -nostdlibinc -ffunction-sections -Iinclude \
    $COUNTED ${2:+"$2"} -c "$lto_from/$1.c" -o "$lto_out/$1.o"
}

# Prints the objects that WAY links. full, thin: both are LTO's; first, last:
# only the first or the last one is; relocatable: `ld -r` compiles, and another
# link adds the rest. lld's output of -r does not have the GNU OS ABI, so GNU ld
# ignores its "retain" flags, and keeps everything.
lto_objects() {
  first=-flto last=-flto
  case $1 in
    thin) first=-flto=thin last=-flto=thin ;;
    first) last= ;;
    last) first= ;;
  esac
  lto_object monitor "$first" && lto_object nmea "$last" || return
  objects="$lto_out/monitor.o $lto_out/nmea.o"
  if [ "$1" = relocatable ]; then
    "ld.lld-$lto_llvm" -r $objects -o "$lto_out/both.o" &&
      objects=$lto_out/both.o
  fi
}

lto_counts() {
  "llvm-profdata-$lto_llvm" show --all-functions --counts "$1" |
    awk '/^  [^ ].*:$/ {name = $1; sub(/:$/, "", name); sub(/.*:/, "", name)}
      /Function count:/ {print name, $3}' | sort
}

# lto BOARD LLVM LINKER WAY: links in one of these ways, runs and checks counts.
lto() {
  lto_board=$1 lto_llvm=$2 lto_relax='' lto_gc=1
  case $3 in gnu) lto_gc=0 ;; esac
  case $1-$2 in virt-riscv*-14) lto_relax=-mno-relax ;; esac
  rm -rf "$lto_out" && mkdir -p "$lto_out" && lto_objects "$4" &&
    $MAKE -s firmware BOARD="$1" LLVM="$2" LINKER="$3" OUT="$lto_out" \
      NAME=fw GC=$lto_gc SOURCES="$objects" \
      PLAIN="tests/cc/lto_main.c $lto_from/stream.S" \
      CFLAGS_APP="-O1 -I$lto_from" LDFLAGS_APP="-u bareprof_preinit" &&
    targets/run "$1" "$lto_out/fw.elf" "$lto_out" </dev/null \
      >"$lto_out/console" &&
    "$BAREPROF" receive "$lto_out/console" -o "$lto_out/fw.profraw" \
      >"$lto_out/said" 2>&1 || { cat "$lto_out/said"; return 1; }
  grep -q 'modulo 2^32' "$lto_out/said" ||
    { echo "the width is lost: $(cat "$lto_out/said")"; return 1; }
  lto_marks=$(marks "$lto_out/fw.elf" | sort | one_line)
  [ "$lto_marks" = "32 0 $lto_from/monitor.c 32 0 $lto_from/nmea.c " ] ||
    { echo "marks: $lto_marks"; return 1; }
  awk -f $lto_from/expected-counts $lto_from/stream.nmea | grep -v '^main ' |
    sort >"$lto_out/expected"
  lto_counts "$lto_out/fw.profraw" >"$lto_out/counts"
  [ "$(wc -l <"$lto_out/expected")" -ge 10 ] &&
    lto_missing=$(comm -23 "$lto_out/expected" "$lto_out/counts") &&
    [ -z "$lto_missing" ] || { echo "not counted: $lto_missing"; return 1; }
}

lto_rows() {
  rows_of <<'ROWS'
+ mps2-an385   22 lld full
+ mps2-an385   14 lld full
+ virt-riscv32 22 lld last
  mps2-an385   22 lld thin
  mps2-an385   22 lld first
  mps2-an385   22 lld last
  mps2-an385   22 lld relocatable
  mps2-an385   22 gnu relocatable
  mps2-an385   19 lld full
  mps2-an385   19 lld relocatable
  mps2-an385   14 lld thin
  mps2-an385   14 lld relocatable
  microbit     22 lld full
  virt-riscv32 22 lld full
  virt-riscv32 22 lld thin
  virt-riscv32 22 lld first
  virt-riscv32 22 lld relocatable
  virt-riscv32 19 lld full
  virt-riscv32 14 lld full
  virt-riscv64 22 lld full
  virt-aarch64 22 lld full
ROWS
}

lto_rows | while read -r board llvm linker way; do
  lto_label="cc LTO: $board llvm-$llvm $linker $way"
  wanted "$lto_label" || continue
  needs "$lto_label" "llvm:$llvm" "board:$board" || continue
  [ "$linker" = lld ] || needs "$lto_label" "$linker:$board" || continue
  check "$lto_label" lto "$board" "$llvm" "$linker" "$way"
done
