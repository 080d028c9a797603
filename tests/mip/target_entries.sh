# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof-mip.ld with the entries that compilers list for
# -fpatchable-function-entry, and with the build id's note, for each linker.
# Nothing runs. target.sh sources this file after target_link.sh.
# shellcheck disable=SC2086 # Variables that hold several flags.

# entries_compiler TARGET COMPILER: sets $compiler.
entries_compiler() {
  case $2-$1 in
    gcc-thumbv7m) compiler="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb" ;;
    gcc-rv32)
      compiler="riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32" ;;
    *) compiler="clang-$2 $flags" ;;
  esac
}

# Makes $listed with $compiler, and copies without the list and without the
# helper.
entries_object() {
  $compiler -Os -ffreestanding -ffunction-sections \
    -fno-asynchronous-unwind-tables -fpatchable-function-entry=4 \
    -c $HERE/target_entries.c -o "$listed" &&
    "llvm-objcopy-$LLVM_HOST" -R __patchable_function_entries \
      -R .rel__patchable_function_entries \
      -R .rela__patchable_function_entries "$listed" "$listed.unlisted" &&
    "llvm-objcopy-$LLVM_HOST" \
      --redefine-sym bareprof_mip_count_index=other "$listed" "$listed.helpless"
}

flat_bytes() {
  "llvm-objcopy-$LLVM_HOST" -O binary "$image" "$image.bin" &&
    wc -c <"$image.bin"
}

# The note comes after the code, with these bounds.
note_placed() {
  equal "$label: the script's first section is first" $((flash)) \
    $((0x$("llvm-readelf-$LLVM_HOST" -SW "$image" | sed 's/\[ */[/' |
      awk '$2 == ".text" {print $4}')))
  equal "$label: the bounds of the note" \
    "$("llvm-readelf-$LLVM_HOST" -SW "$image" | sed 's/\[ */[/' |
      awk '$2 == ".note.gnu.build-id" {print $4, $6}')" \
    "$(address __bareprof_build_id_start) $(printf %06x \
      $((0x$(address __bareprof_build_id_end) - \
        0x$(address __bareprof_build_id_start))))"
}

# entries LINKER TARGET COMPILER FUNCTIONS FORM: the list is in the file only,
# and there is room for so many functions, 1 or 8 bytes each.
entries() {
  label="mip entries $*"
  wanted "$label" || return 0
  linker=$1 target=$2
  link_target $2
  entries_compiler $2 $3
  link_needs $1 ${compiler%% *} || return 0
  listed=$link_out/entries-$2-$3.o
  [ -f "$listed" ] || check "$label: compiles" entries_object
  link_objects=$listed
  link_script $5 bareprof-mip
  link_image $1 --gc-sections --build-id=sha1 -e boot \
    -u bareprof_mip_count_index
  equal "$label: links without a word" "" "$said"
  [ -f "$image" ] || return
  equal "$label: room for counts" $((24 + 8 * $4)) \
    $((0x$(address __bareprof_mip_end) - 0x$(address __bareprof_mip_begin)))
  equal "$label: it is RAM" "NOBITS A" \
    "$(section __llvm_mipraw | cut -d' ' -f1,3 | sed 's/ W*A[GR]*$/ A/')"
  check "$label: the heap is behind" test \
    $((0x$(address end))) -ge $((0x$(address __bareprof_mip_end)))
  equal "$label: the list is in the file only" "PROGBITS WL 0" \
    "$(section __patchable_function_entries | cut -d' ' -f1,3) \
$((0x$("llvm-readelf-$LLVM_HOST" -SW "$image" | sed 's/\[ */[/' |
  awk '$2 == "__patchable_function_entries" {print $4}')))"
  note_placed
  link_image $1 --no-gc-sections --build-id=sha1 -e boot
  flat=$(flat_bytes)
  link_objects=$listed.unlisted
  link_image $1 --no-gc-sections --build-id=sha1 -e boot
  equal "$label: a flat image as without them" "$(flat_bytes)" "$flat"
  link_objects=$listed.helpless
  link_image $1 --gc-sections -e boot -u other
  equal "$label: room for coverage" $((24 + $4)) \
    $((0x$(address __bareprof_mip_end) - 0x$(address __bareprof_mip_begin)))
}

# note_beside LINKER FRAGMENT...: the image has the note once, with bounds.
note_beside() {
  label="mip note $*"
  wanted "$label" || return 0
  linker=$1 target=thumbv7m
  shift
  link_target $target
  link_needs $linker clang-22 || return 0
  link_objects 22
  link_objects=$link_mip
  case $* in *"bareprof "* | *lean*) link_objects="$link_mip $counted" ;; esac
  link_script include "$@"
  link_image $linker --gc-sections --build-id=sha1 \
    --defsym=__llvm_profile_runtime=0
  equal "$label: links without a word" "" "$said"
  note_placed
}

# gcc 12 ties the entries of a file to its first function, so entries of dead
# functions stay.
for linker in lld-14 lld-19 lld-22 gnu; do
  entries $linker thumbv7m gcc 5 include
  entries $linker rv32 gcc 5 insert
  entries $linker rv32 22 4 include
  [ -z "${FULL:-}" ] || entries $linker rv32 14 4 insert
  [ $linker = lld-14 ] || entries $linker rv64 22 4 include
  note_beside $linker bareprof-mip
  note_beside $linker bareprof-id bareprof-mip
  note_beside $linker bareprof bareprof-mip
  note_beside $linker bareprof-mip bareprof-lean
done
