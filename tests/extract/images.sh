# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the images of the extract tests, and compares ELFs. The images are the
# anchor watch of examples/coverage. Its main is not instrumented, so that a
# main with bareprof_write and one without give the same counts. `run` sources
# this file, with $folder, $board and $llvm set.

READELF=llvm-readelf-${LLVM_HOST:-22}
OBJCOPY=llvm-objcopy-${LLVM_HOST:-22}
NM=llvm-nm-${LLVM_HOST:-22}

# The modes of instrumentation. A make variable cannot contain line breaks.
front_end="-fprofile-instr-generate -fcoverage-mapping"
single_bytes="$front_end -mllvm -enable-single-byte-coverage"
correlated="$front_end -fcoverage-mcdc -mllvm -profile-correlate=binary"
debug_info="-fprofile-instr-generate -mllvm -profile-correlate=debug-info"

# image NAME LINKER SCRIPT [FLAGS]: makes $folder/NAME.elf. A full image has the
# runtime and writes coverage.profraw, a lean one has no runtime.
image() {
  case $3 in
    full) main=$coverage/main.c link="-u bareprof_preinit" ;;
    *) main=examples/gdb/main.c link="-u __llvm_profile_raw_version" ;;
  esac
  mcdc=-fcoverage-mcdc
  [ "$llvm" -ge 18 ] || mcdc=
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" LINKER="$2" \
    SCRIPT="$3" NAME="$1" OUT="$folder" LDFLAGS_APP="$link" \
    CFLAGS_APP="-O1 -g -I$coverage" PLAIN="$coverage/stream.S $main" \
    SOURCES="$coverage/monitor.c $coverage/nmea.c" \
    PROFILE="${4:-$front_end $mcdc}"
}

has_gnu_ld() {
  case $board in
    *riscv*) have riscv64-unknown-elf-ld ;;
    *) have arm-none-eabi-ld ;;
  esac
}

# Checks that the image has no function of the archive, except the one that ends
# QEMU and, for clang 14, the two that its constructors call.
no_runtime() {
  code=$("$NM" "$folder/$1.elf" | awk '$2 ~ /[TtWw]/ { print $3 }' |
    grep -e bareprof -e __llvm_profile |
    grep -v -e '^bareprof_semihosting_' -e '^__llvm_profile_register_' \
      -e '^__llvm_profile_init$' | one_line)
  [ -z "$code" ] || { echo "there is $code"; return 1; }
}

# ---- two ELFs ----

# Prints a line for each section that is not empty: name, address, size, flags.
profile_sections() {
  "$READELF" -SW "$1" | awk '
    { sub(/^ *\[ *[0-9]+\] /, "") }
    $1 ~ /^__llvm_(prf_(data|names|vtab|vns|cnts|bits)|cov)/ ||
      $1 == ".note.gnu.build-id" || $1 == ".comment" {
      if ($5 !~ /^0+$/) print $1, $3, $5, (NF == 10 ? $7 : "-")
    }'
}

bounds() {
  "$NM" "$1" | awk '$3 ~ /^__(start|stop)___llvm_|^__bareprof_/ {
    print $1, $3
  }' | sort
}

# dump_sections ELF FOLDER SECTION...: writes the contents of each section to a
# file.
dump_sections() {
  from=$1 to=$2
  shift 2
  rm -rf "$to" && mkdir "$to" || return 1
  for section; do
    set -- "$@" "--dump-section=$section=$to/$section"
    shift
  done
  "$OBJCOPY" "$@" "$from" /dev/null
}

# same_sections ELF META: META has all sections to be kept, with the same
# addresses and contents; none can be loaded; and GNU's tools accept META.
same_sections() {
  profile_sections "$1" >"$folder/sections.elf"
  profile_sections "$2" >"$folder/sections.meta"
  [ "$(wc -l <"$folder/sections.elf")" -ge 5 ] || { echo few; return 1; }
  cmp "$folder/sections.elf" "$folder/sections.meta" || return 1
  [ "$(bounds "$1")" = "$(bounds "$2")" ] || { echo bounds; return 1; }
  names=$(awk '!/^__llvm_prf_(cnts|bits)/ { print $1 }' \
    "$folder/sections.elf")
  dump_sections "$1" "$folder/contents.elf" $names &&
    dump_sections "$2" "$folder/contents.meta" $names &&
    diff -r "$folder/contents.elf" "$folder/contents.meta" || return 1
  "$READELF" -lW "$2" | grep -q 'There are no program headers' ||
    { echo "there are segments"; return 1; }
  [ "$(kind "$1")" = "$(kind "$2")" ] || { echo "another kind"; return 1; }
  [ "$(wc -c <"$2")" -lt $(($(wc -c <"$1") / 4)) ] ||
    { echo "it is large"; return 1; }
  said=$(readelf -aW "$2" 2>&1 >/dev/null) && [ -z "$said" ] ||
    { echo "readelf: $said"; return 1; }
}

kind() {
  "$READELF" -h "$1" | grep -e Class -e Data -e Type -e Machine -e Flags
}

# same_report ELF META: llvm-cov shows the same for both, with some covered
# lines.
same_report() {
  for which in "$1" "$2"; do
    "llvm-cov-$llvm" export "$which" -instr-profile="$folder/profdata" \
      >"$folder/report-${which##*.}" || return 1
  done
  grep -q '"lines":{"count":[0-9]*,"covered":[1-9]' \
    "$folder/report-${1##*.}" || { echo "nothing covered"; return 1; }
  cmp "$folder/report-${1##*.}" "$folder/report-${2##*.}"
}
