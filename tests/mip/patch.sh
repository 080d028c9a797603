#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `bareprof mip patch`: a part of tests/mip/run. Each row of patch_rows is a
# firmware that is built once, and patched to every mode. It must compute the
# same, and its calls must be those in QEMU's execution log (log.sh) of the
# firmware without sleds, and those known by hand. After `--plain` the image
# must be as it was linked.
#   tests/mip/run patch                      all
#   tests/mip/patch.sh BOARD COMPILER ...    one row
#
# gcc 12 puts the entries of all functions of a file into one section, tied to
# the first function, so the linker keeps all functions, dead ones too. The
# patcher does not need entries. Without them, the linker drops dead functions:
#   arm-none-eabi-objcopy -R __patchable_function_entries FILE.o
# shellcheck disable=SC1091,SC2046,SC2086 # Several flags.
set -u
. tests/lib.sh
. tests/mip/compilers.sh
LLVM_HOST=${LLVM_HOST:-22}
BAREPROF=${BAREPROF:-$BUILD/bareprof}
patch_here=tests/mip
patch_out=$BUILD/tests/mip/patch

# ---- building ----

patch_objcopy() {
  case $board in
    virt-riscv*) echo riscv64-unknown-elf-objcopy ;;
    *) echo arm-none-eabi-objcopy ;;
  esac
}

# patch_link NAME OBJECT: links NAME.elf.
patch_link() {
  $MAKE -s firmware BOARD="$board" LLVM="$LLVM_HOST" LINKER="$linker" \
    SCRIPT=none FRAGMENT="INCLUDE bareprof-mip.ld" SOURCES="$2" \
    PLAIN=$patch_here/patch_main.c OUT="$folder" NAME="$1" \
    CFLAGS_APP="-Os -g -I$patch_here -DROOM=${room:-200}"
}

patch_build() {
  $(mip_compiler "$board" "$compiler") -Os -ffreestanding \
    -ffunction-sections -fpatchable-function-entry="$nops" $flags \
    -I$patch_here -c $patch_here/patch_work.c -o "$folder/work.o" || return 1
  if [ "$compiler" = gcc ]; then
    $(patch_objcopy) -R __patchable_function_entries "$folder/work.o"
  fi
  patch_link plain "$folder/work.o"
}

# ---- running ----

# Prints the patched functions of the log, in the order of calls, then of
# addresses.
patch_logged() {
  LLVM_HOST=$LLVM_HOST ENTRIES=$folder/names $patch_here/log.sh "$board" \
    "$folder/plain.elf" "$folder/plain" >"$folder/logged" &&
    cp "$folder/plain/output" "$folder/result"
}

# patch_read MODE: prints the profile in the lines of the log.
patch_read() {
  mip_bytes "$folder/$1.map" >"$folder/map.bytes"
  mip_bytes "$folder/$1/mip.mipraw" >"$folder/raw.bytes"
  awk -v begin="$(llvm-nm-"$LLVM_HOST" "$folder/plain.elf" |
    awk '$3 == "__bareprof_mip_begin" { print $1 }')" \
    -f $patch_here/raw.awk "$folder/map.bytes" "$folder/raw.bytes"
}

patch_mode() {
  "$BAREPROF" mip patch "$folder/plain.elf" "--$1" -o "$folder/$1.elf" \
    --map "$folder/$1.map" --log "$folder/$1.log" &&
    targets/run "$board" "$folder/$1.elf" "$folder/$1" </dev/null \
      >"$folder/$1/output" &&
    patch_read "$1" >"$folder/$1/read"
}

same_text() { [ "$1" = "$2" ] || { echo "expected $1, got $2"; return 1; }; }
same_file() { diff "$1" "$2" | head -5 | grep . && return 1; cmp "$1" "$2"; }

# Compares with calls that are known by hand.
patch_by_hand() {
  cat <<'EOF'
eight 1
fibonacci 41
named 2
note 8
tail 2
thrice 1
twice 2
wide 1
work 1
EOF
}

# patch_judge MODE: compares with the log. Only one mode shows the log's edges,
# and coverage shows only which counts are not 0.
patch_judge() {
  same_file "$folder/result" "$folder/$1/output" || return 1
  case $1 in
    coverage)
      awk '$1 == "call" { print $2, $3 }' "$folder/logged" | sort >"$folder/a"
      awk '$1 == "call" { print $2, $3 }' "$folder/$1/read" | sort >"$folder/b"
      ;;
    counts) grep '^call' "$folder/logged" >"$folder/a"
      cp "$folder/$1/read" "$folder/b" ;;
    edges) cp "$folder/logged" "$folder/a"
      cp "$folder/$1/read" "$folder/b" ;;
  esac
  same_file "$folder/a" "$folder/b"
}

patch_undone() {
  "$BAREPROF" mip patch "$folder/$1.elf" --plain -o "$folder/undone.elf" &&
    cmp "$folder/plain.elf" "$folder/undone.elf"
}

# Prints all functions of work.c's objects, except the dead one.
patch_names() {
  llvm-nm-"$LLVM_HOST" "$folder/work.o" | awk '$2 ~ /[tT]/ &&
    $3 !~ /^\$|^\.|also_named|dead/ { print $3 }' | sort >"$folder/names"
}

patch_whole() {
  mip_bytes "$folder/edges.map" >"$folder/map.bytes"
  mip_bytes "$folder/edges/mip.mipraw" >"$folder/raw.bytes"
  awk -v all=1 -v begin=0 -f $patch_here/raw.awk "$folder/map.bytes" \
    "$folder/raw.bytes" | awk '$1 == "call" { print $3 }' | sort \
    >"$folder/all"
  same_file "$folder/names" "$folder/all" || return 1
  ! llvm-nm-"$LLVM_HOST" "$folder/plain.elf" | grep ' dead$'
}

# Raw bytes (8 for a count) are in the order of addresses.
patch_ascending() {
  awk -v raws=1 -v begin=0x100000000 -f $patch_here/raw.awk \
    "$folder/map.bytes" "$folder/raw.bytes" >"$folder/raws"
  LC_ALL=C sort -k3 "$folder/raws" | awk '{ print $2 }' >"$folder/b"
  awk '{ print 24 + 8 * (NR - 1) }' "$folder/raws" >"$folder/a"
  [ -s "$folder/a" ] && same_file "$folder/a" "$folder/b"
}

patch_row() {
  label="patch $board $compiler $linker $nops${flags:+ $flags}"
  check "$label: builds" patch_build
  [ -f "$folder/plain.elf" ] || return
  patch_names
  check "$label: runs, is logged" patch_logged
  check "$label: the log is what is known" same_text "$(patch_by_hand)" \
    "$(awk '$1 == "call" { print $3, $4 }' "$folder/logged" | sort)"
  for mode in coverage counts edges; do
    mkdir -p "$folder/$mode"
    check "$label: $mode" patch_mode $mode
    check "$label: $mode: as the log says" patch_judge $mode
  done
  check "$label: every function, no dead one" patch_whole
  check "$label: raw bytes by address" patch_ascending
  check "$label: plain again" patch_undone edges
}

if [ $# -gt 3 ] && [ -f "targets/$1/board.mk" ]; then
  board=$1 compiler=$2 linker=$3 nops=$4
  shift 4
  flags=$*
  folder=$patch_out/$(echo "$board-$compiler-$linker-$nops$flags" | tr ' =' -)
  rm -rf "$folder"
  mkdir -p "$folder"
  patch_row 2>"$folder/stderr"
  exit 0
fi

# ---- all ----

patch_all() {
  grep -v '^#' $patch_here/patch_rows |
    while read -r board compiler linker nops flags; do
      wanted "patch $board $compiler $linker" || continue
      case $board-$compiler in
        virt-riscv*-gcc) have riscv64-unknown-elf-gcc ;;
        *-gcc) have arm-none-eabi-gcc ;;
        *) have "clang-$compiler" ;;
      esac || {
        skip "patch $board $compiler $linker" "no $compiler for it"
        continue
      }
      echo "$board $compiler $linker $nops${flags:+ $flags}"
    done >"$patch_out/rows"
  grep '^skip' "$patch_out/rows"
  grep -v '^skip' "$patch_out/rows" >"$patch_out/rows.run"
  # Builds the common parts of a board's rows once, before the rows.
  awk '!seen[$1 $3]++ { print $1, $3 }' "$patch_out/rows.run" |
    while read -r board linker; do
      folder=$patch_out/first-$board-$linker
      mkdir -p "$folder"
      flags='' compiler=$LLVM_HOST
      patch_link first $patch_here/patch_work.c >"$folder/log" 2>&1
    done
  each_row $patch_here/patch.sh <"$patch_out/rows.run"
}

rm -rf "$patch_out"
mkdir -p "$patch_out"
patch_all
. $patch_here/patch_refuses.sh
. $patch_here/patch_sleds.sh
