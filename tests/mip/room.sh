# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Room for `bareprof mip patch`: the linker script reserves it if the compiler
# lists entries, else patch prints the line to write. The images have a build
# id, whose note must not come before the vectors. The images run. `run` sources
# this file.
# shellcheck disable=SC1091,SC2046,SC2086 # Several flags.
. $HERE/compilers.sh
room_out=$OUT/room

# room_link OPTIONS [LINE]: links $folder/plain.elf. LINE makes room in the
# program.
room_link() {
  rm -f "$folder/plain.elf"
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" LINKER="$linker" \
    SCRIPT=none FRAGMENT="INCLUDE bareprof-mip.ld" SOURCES="$folder/work.o" \
    PLAIN=$HERE/room_main.c OUT="$folder" NAME=plain \
    LDFLAGS_APP="--build-id=sha1 $1" \
    CFLAGS_APP="-Os -g -I$HERE ${2:+-DROOM='$2'}"
}

room_compile() {
  $(mip_compiler "$board" "${compiler%-listed}") -w -Os -ffreestanding \
    -ffunction-sections -fpatchable-function-entry="$(mip_nops "$board")" \
    -I$HERE -c $HERE/patch_work.c -o "$folder/work.o" || return
  [ "$compiler" != gcc ] ||
    arm-none-eabi-objcopy -R __patchable_function_entries "$folder/work.o"
}

# room_ran MODE: the firmware has run and counted all functions that are called.
room_ran() {
  rm -f "$folder/mip.mipraw"
  "$BAREPROF" mip patch "$folder/plain.elf" "--$1" -o "$folder/$1.elf" &&
    targets/run "$board" "$folder/$1.elf" "$folder" </dev/null &&
    "$BAREPROF" mip merge "$folder/$1.elf" "$folder/mip.mipraw" \
      -o "$folder/$1.mip" &&
    "$BAREPROF" mip show "$folder/$1.mip" >"$folder/shown" || return
  calls=$(awk '$NF == "fibonacci" || $NF == "never" {print $1, $NF}' \
    "$folder/shown" | sort | one_line)
  case $1 in coverage) wanted="0 never 1 fibonacci " ;;
    counts) wanted="0 never 41 fibonacci " ;;
  esac
  [ "$calls" = "$wanted" ] || { echo "$calls"; return 1; }
}

room_flat() {
  "llvm-objcopy-$LLVM_HOST" -O binary "$folder/plain.elf" "$folder/flat" &&
    test "$(wc -c <"$folder/flat")" -lt 65536
}

# If the compiler lists entries, the program needs no line.
room_listed() {
  check "$label: links" room_link ""
  check "$label: a flat image is small" room_flat
  check "$label: coverage" room_ran coverage
  check "$label: links, with what counts" room_link \
    "-u bareprof_mip_count_index"
  check "$label: counts" room_ran counts
}

# room_line MODE: patch fails, and its message ends with the line.
room_line() {
  rm -f "$folder/out.elf"
  ! "$BAREPROF" mip patch "$folder/plain.elf" "--$1" -o "$folder/out.elf" \
    2>"$folder/said" || return
  sed -n 's/.*: \(BAREPROF_MIP_ROOM([0-9]*);\)$/\1/p' "$folder/said" \
    >"$folder/line"
  [ "$(cat "$folder/line")" = "$2" ] || { cat "$folder/said"; return 1; }
}

# The compiler does not list entries, or the list was removed.
room_said() {
  check "$label: links" room_link ""
  check "$label: a flat image is small" room_flat
  check "$label: no room, coverage: the line" room_line coverage \
    "BAREPROF_MIP_ROOM(10);"
  check "$label: no room, counts: the line" room_line counts \
    "BAREPROF_MIP_ROOM(80);"
  check "$label: links with the line" room_link "" "$(cat "$folder/line")"
  check "$label: coverage" room_ran coverage
  check "$label: counts" room_ran counts
}

# room BOARD COMPILER LINKER LLVM
room() {
  board=$1 compiler=$2 linker=$3 llvm=$4
  label="mip room $*"
  folder=$room_out/$(echo "$*" | tr ' ' -)
  mkdir -p "$folder"
  check "$label: compiles" room_compile
  case $compiler in gcc) room_said ;; *) room_listed ;; esac
}

rm -rf "$room_out"
mkdir -p "$room_out"
for linker in lld gnu; do
  room mps2-an385 gcc $linker 22
  room virt-riscv32 22 $linker 22
done
if [ -n "${FULL:-}" ]; then
  for llvm in 14 19; do
    room mps2-an385 gcc lld $llvm
    room virt-riscv32 $llvm lld $llvm
    room virt-aarch64 $llvm lld $llvm
  done
  room virt-riscv64 22 lld 22
  room virt-riscv64 22 gnu 22
  room virt-riscv32 gcc-listed gnu 22
  room mps2-an385 gcc-listed gnu 22
fi
