#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every target, compiler, linker and way to instrument: a part of tests/mip/run.
# Each row is one firmware, plain and instrumented, in a mode for coverage and
# in a mode for calls with edges. Both must compute the same, and their profiles
# must agree with QEMU's execution log.
#   tests/mip/run matrix              those of matrix_rows; FULL=1: all
#   tests/mip/matrix.sh BOARD COMPILER LINKER HOW      one row
# HOW is patch or rewrite. Files stay in build/tests/mip/matrix.
# shellcheck disable=SC1091,SC2046,SC2086 # Several flags.
set -u
. tests/lib.sh
. tests/mip/compilers.sh
LLVM_HOST=${LLVM_HOST:-22}
BAREPROF=${BAREPROF:-$BUILD/bareprof}
export BAREPROF
matrix_here=tests/mip
matrix_loads=tests/bench/loads
matrix_out=$BUILD/tests/mip/matrix

# ---- building ----

matrix_level() {
  case $compiler-$linker in
    19-* | gcc-gnu) echo -O2 ;;
    *) echo -Os ;;
  esac
}

# Sets a table with room for all edges, if the board has enough RAM.
matrix_edges() {
  case $board in
    microbit) echo 256 ;;
    *) echo 512 ;;
  esac
}

# matrix_compile KIND COMMAND...: compiles the store and asm_work.c to KIND-*.o.
matrix_compile() {
  kind=$1
  shift
  for from in $matrix_loads/store_work.c $matrix_here/asm_work.c; do
    case $from in
      *store*) more="-include store.c -include store_file.c
        -include store_log.c" ;;
      *) more=-Dwork=others ;;
    esac
    "$@" $(mip_compiler $board $compiler) $(matrix_level) -std=gnu11 -w \
      -ffreestanding -ffunction-sections -fdata-sections -I$matrix_here \
      -I$matrix_loads ${nops:-} $more -c "$from" \
      -o "$folder/$kind-$(basename "$from" .c).o" || return
  done
}

# matrix_link KIND FLAG...: links KIND.elf.
matrix_link() {
  kind=$1
  shift
  $MAKE -s firmware BOARD=$board LLVM=$LLVM_HOST LINKER=$linker SCRIPT=none \
    FRAGMENT="INCLUDE bareprof-mip.ld" PLAIN=$matrix_here/matrix_main.c \
    SOURCES="$(echo "$folder/$kind"-*.o)" OUT="$folder" NAME="$kind" \
    CFLAGS_APP="-Os -I$matrix_loads $*" \
    LDFLAGS_APP="-u bareprof_mip_step_index -z noexecstack \
      $(mip_library $board $compiler | one_line)"
}

# Prints the functions of the objects KIND-*.o that the image contains.
matrix_linked() {
  llvm-readelf-$LLVM_HOST -sW "$folder/$1"-*.o 2>/dev/null |
    awk '$4 == "FUNC" { print $8 }' | LC_ALL=C sort -u >"$folder/made"
  llvm-readelf-$LLVM_HOST -sW "$folder/$1.elf" |
    awk '$4 == "FUNC" { print $8 }' | LC_ALL=C sort -u |
    LC_ALL=C comm -12 "$folder/made" -
}

# ---- running ----

matrix_plain() {
  matrix_compile plain env BAREPROF_MIP=off && matrix_link plain -DPLAIN &&
    mkdir -p "$folder/plain" &&
    targets/run $board "$folder/plain.elf" "$folder/plain" </dev/null \
      >"$folder/plain/output"
}

# matrix_log KIND: makes its log; files that the firmware writes are in the
# folder KIND.
matrix_log() {
  LLVM_HOST=$LLVM_HOST ENTRIES=$folder/names $matrix_here/log.sh $board \
    "$folder/$1.elf" "$folder/$1" >"$folder/logged" &&
    cmp "$folder/plain/output" "$folder/$1/output"
}

# matrix_read KIND: makes `map` and `read` in its folder.
matrix_read() {
  "$BAREPROF" mip extract "$folder/$1.elf" -o "$folder/$1/mip.mipmap" &&
    mip_bytes "$folder/$1/mip.mipmap" >"$folder/map.bytes" &&
    mip_bytes "$folder/$1/mip.mipraw" >"$folder/raw.bytes" || return
  begin=$(llvm-nm-$LLVM_HOST "$folder/$1.elf" |
    awk '$3 == "__bareprof_mip_begin" { print $1 }')
  awk -v begin="$begin" -v all=1 -f $matrix_here/raw.awk "$folder/map.bytes" \
    "$folder/raw.bytes" >"$folder/$1/map"
  awk -v begin="$begin" -f $matrix_here/raw.awk "$folder/map.bytes" \
    "$folder/raw.bytes" >"$folder/$1/read"
}

# matrix_judge KIND [only=coverage]: compares with the log.
matrix_judge() {
  matrix_read $1 || return
  awk -v ${2:-only=} -f $matrix_here/matrix.awk "$folder/$1/map" \
    "$folder/logged" "$folder/$1/read" >"$folder/$1/judged"
  [ ! -s "$folder/$1/judged" ] || { head -3 "$folder/$1/judged"; return 1; }
}

# ---- what is common to both ways ----

# Each function is instrumented, or listed with the reason; at most one in a
# hundred lacks a good reason.
matrix_all() {
  awk '$1 == "call" { print $3 }' "$folder/$1/map" | LC_ALL=C sort -u |
    LC_ALL=C comm -23 "$folder/names" - >"$folder/left"
  while read -r name; do
    grep -F " $name: " "$folder/log" ||
      { echo "$name is not listed"; return 1; }
  done <"$folder/left" >"$folder/why"
  head -1 "$folder/why" | grep 'is not listed' && return 1
  awk 'NR > FNR && !/chain|\.cold: |OUTLINED/ { bad++ }
    NR == FNR { all++ }
    END { exit bad * 100 > all || all < 25 }' "$folder/names" "$folder/why" ||
    { cat "$folder/why"; return 1; }
}

# The map is not in a segment; the raw section takes no bytes in the file.
matrix_flash() {
  llvm-readelf-$LLVM_HOST -SW "$folder/$1.elf" | sed 's/^ *\[ *//' |
    awk '$2 == "__llvm_mipmap" { map = $8 !~ /A/ && $3 != "NOBITS" }
      $2 == "__llvm_mipraw" { raw = $3 == "NOBITS" }
      END { exit !(map && raw) }' || return
  llvm-objcopy-$LLVM_HOST -O binary "$folder/$1.elf" "$folder/a" &&
    llvm-objcopy-$LLVM_HOST -O binary -R __llvm_mipmap "$folder/$1.elf" \
      "$folder/b" && cmp "$folder/a" "$folder/b"
}

# ---- assembly ----

# Prints the addresses that the firmware executes, each once.
matrix_executed() {
  targets/run $board "$folder/blocks.elf" "$folder/blocks" -singlestep \
    -d exec,nochain -D /dev/stderr </dev/null 2>&1 \
    >"$folder/blocks/output" | awk -F/ '/^Trace/ && !seen[$2]++ {
      sub(/^0*/, "", $2)
      print $2
    }' >"$folder/executed"
  cmp "$folder/plain/output" "$folder/blocks/output"
}

# Compares functions and blocks.
matrix_blocks() {
  matrix_read blocks || return
  awk -v begin="$begin" -v pcs="$folder/executed" -f $matrix_here/asm.awk \
    "$folder/map.bytes" "$folder/raw.bytes" >"$folder/judged"
  if [ "$(wc -l <"$folder/judged")" -gt 1 ] ||
    [ "$(sed 's/agree //' "$folder/judged")" -lt 200 ]; then
    head -3 "$folder/judged"
    return 1
  fi
}

matrix_rewrite() {
  for mode in blocks edges sampled; do
    mkdir -p "$folder/$mode"
    case $mode in
      blocks) edges= ;;
      *) edges=-DEDGES=$(matrix_edges) ;;
    esac
    check "$label: $mode: builds" matrix_compile $mode env \
      BAREPROF_MIP="$mode unit=matrix log=$folder/log" tools/bareprof-mip-cc
    check "$label: $mode: links" matrix_link $mode $edges
    [ -f "$folder/$mode.elf" ] || return
  done
  touch "$folder/log"
  matrix_linked edges >"$folder/names"
  check "$label: blocks: the same result" matrix_executed
  check "$label: functions and blocks are those of the log" matrix_blocks
  check "$label: edges: the same result" matrix_log edges
  check "$label: calls and edges are those of the log" matrix_judge edges
  check "$label: sampled: the same result" matrix_log sampled
  check "$label: sampled: calls are those of the log, edges about" \
    matrix_judge sampled only=sampled
  check "$label: every function" matrix_all edges
  check "$label: nothing in flash" matrix_flash blocks
}

# ---- linked images ----

# gcc 12's entries would keep dead functions: see patch.sh.
matrix_entries() {
  case $board in
    virt-riscv*) objcopy=riscv64-unknown-elf-objcopy ;;
    *) objcopy=arm-none-eabi-objcopy ;;
  esac
  case $compiler in gcc)
    for object in "$folder"/nops-*.o; do
      $objcopy -R __patchable_function_entries "$object" || return
    done ;;
  esac
}

matrix_patched() {
  "$BAREPROF" mip patch "$folder/nops.elf" --$1 -o "$folder/$1.elf" \
    --log "$folder/log" && mkdir -p "$folder/$1" &&
    targets/run $board "$folder/$1.elf" "$folder/$1" </dev/null \
      >"$folder/$1/output" && cmp "$folder/plain/output" "$folder/$1/output"
}

matrix_patch() {
  nops=-fpatchable-function-entry=$(mip_nops $board)
  check "$label: builds" matrix_compile nops env
  nops=
  check "$label: entries" matrix_entries
  check "$label: links" matrix_link nops -DROOM=1600 -DEDGES=$(matrix_edges)
  [ -f "$folder/nops.elf" ] || return
  matrix_linked nops >"$folder/names"
  check "$label: nops: the same result" matrix_log nops
  check "$label: coverage: the same result" matrix_patched coverage
  check "$label: functions are those of the log" matrix_judge coverage \
    only=coverage
  check "$label: edges: the same result" matrix_patched edges
  check "$label: calls and edges are those of the log" matrix_judge edges
  check "$label: sampled: the same result" matrix_patched sampled
  check "$label: sampled: calls are those of the log, edges about" \
    matrix_judge sampled only=sampled
  check "$label: every function" matrix_all edges
  check "$label: nothing in flash" matrix_flash edges
}

# ---- rows ----

if [ $# -gt 3 ] && [ -f "targets/$1/board.mk" ]; then
  board=$1 compiler=$2 linker=$3 how=$4
  label="mip matrix $*"
  folder=$matrix_out/$board-$compiler-$linker-$how
  rm -rf "$folder"
  mkdir -p "$folder"
  check "$label: plain" matrix_plain
  matrix_$how 2>"$folder/stderr"
  exit 0
fi

# ---- all ----

# Prints all rows, and marks those that run by default: they include each family
# of boards, each compiler, each linker, and each way.
matrix_everything() {
  for board in microbit mps2-an385 mps2-an505 mps3-an547 virt-cortex-a15 \
    virt-aarch64 virt-riscv32 virt-riscv64; do
    for compiler in 19 22 gcc; do
      for linker in lld gnu; do
        for how in patch rewrite; do
          case $board-$compiler-$linker-$how in
            virt-aarch64-gcc-* | virt-aarch64-*-gnu-*) ;; # not in Debian 12
            virt-riscv*-patch | virt-aarch64*-patch | *-gcc-*-patch | \
              *-rewrite) echo $board $compiler $linker $how ;;
          esac
        done
      done
    done
  done
}

matrix_default() {
  cat <<'ROWS'
microbit 22 gnu rewrite
microbit gcc lld patch
virt-aarch64 22 lld rewrite
virt-riscv32 22 gnu patch
ROWS
}

# Builds the common parts of rows once, before the rows.
matrix_first() {
  awk '!seen[$1 $3]++ { print $1, $3 }' "$matrix_out/rows" |
    while read -r board linker; do
      $MAKE -s firmware BOARD=$board LLVM=$LLVM_HOST LINKER=$linker \
        SCRIPT=none OUT="$matrix_out/first" </dev/null >/dev/null 2>&1
    done # these do not link, as there is no program.
}

matrix_all_rows() {
  if [ -n "${FULL:-}" ]; then matrix_everything; else matrix_default; fi |
    while read -r board compiler linker how; do
      set -- $(mip_compiler $board $compiler)
      if have "$1"; then
        echo $board $compiler $linker $how
      else
        skip "mip matrix $board $compiler $linker $how" "no $1"
      fi
    done >"$matrix_out/all"
  grep '^skip' "$matrix_out/all"
  grep -v '^skip' "$matrix_out/all" >"$matrix_out/rows"
  matrix_first
  each_row $matrix_here/matrix.sh <"$matrix_out/rows"
}

rm -rf "$matrix_out"
mkdir -p "$matrix_out"
matrix_all_rows
