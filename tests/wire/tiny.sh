# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The tiny senders send what bareprof_write writes. `run` sources this file.

# gcc_of BOARD: copies the files into a gcc program, as a user does.
gcc_of() {
  case $1 in
    microbit) echo "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb" ;;
    mps2-an385) echo "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb" ;;
    *a15be) echo "arm-none-eabi-gcc -mcpu=cortex-a15 -mbig-endian" ;;
    *32) echo "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32" ;;
    # A flag of the link has the address 0 or 1, which is too far without -fpie.
    *64) echo "riscv64-unknown-elf-gcc -march=rv64gc -mabi=lp64 -fpie
      -mcmodel=medany" ;;
  esac
}

# copy_tiny SOURCE: copies what tiny_SOURCE.c needs to $copied, by the names that
# bareprof_tiny.h gives, and nothing else.
copy_tiny() {
  copied=$folder/copied-$1 from=runtime
  set -- "$1" "$from/tiny_$1.c" $from/tiny.h $from/image_sections.h \
    $from/shared.h include/bareprof_tiny.h include/bareprof.h \
    include/bareprof_image.h
  case $1 in bits) ;; *) set -- "$@" $from/tiny_send.h $from/wire_coder.h ;; esac
  shift
  rm -rf "$copied" && mkdir -p "$copied" && cp "$@" "$copied"
}

# The copied files by gcc: the archive's are not linked then.
tiny_by_gcc() {
  linker=${port:-lld} by_gcc=
  [ "$linker" = gcc ] || return 0
  linker=lld
  for source; do
    object=$folder/$source.o
    copy_tiny "$source" || return
    # shellcheck disable=SC2046 # A command with its flags.
    $(gcc_of "$board") -Os -ffreestanding -ffunction-sections -Wall -Wextra \
      -Werror -c "$copied/tiny_$source.c" -o "$object" || return
    by_gcc="$by_gcc $object"
  done
}

build_tiny() {
  case $llvm in 1[3-7]) mcdc= ;; *) mcdc=-fcoverage-mcdc ;; esac
  tiny_by_gcc binary text init || return
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" OUT="$folder" NAME=tiny \
    SOURCES="$here/work.c $coverage/monitor.c $coverage/nmea.c" \
    LINKER="$linker" \
    PLAIN="$coverage/stream.S $here/console.c $here/tiny.c $by_gcc" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping $mcdc" \
    CFLAGS_APP="-O1 -g -Wall -Wextra -Werror -I$coverage"
}

# The sink ended the last dump: receive misses only that dump.
cut_is_seen() {
  ! receive "$folder/capture" -o "$folder/seen.bpdump" >/dev/null &&
    grep -q 'only damaged lines of a dump arrived' "$folder/messages" ||
    { tail -n 2 "$folder/messages"; return 1; }
}

# damaged DUMPS: damages the capture many times; receive never returns a dump
# that was not sent.
build_damage() {
  foreign=$(tool_archive) &&
    $cc -g $(headers) -DBAREPROF_FOREIGN -Itools $here/tiny_damage.c \
      "$foreign" -o "$out/damage"
}
damaged() {
  trials=1000
  [ -z "${FULL:-}" ] || trials=20000
  "$out/damage" "$folder/capture" "$1" $trials
}

row_tiny() {
  check "$label: builds" build_tiny
  check "$label: the firmware sends" capture tiny
  check "$label: received, but for the last" cut_is_seen
  check "$label: the counts are the same" in_order bpdump bpdump bpdump
  equal "$label: no other dumps" 3 "$(count_seen)"
  check "$label: no dump of damaged logs is another" damaged 3
  for number in 1 2 3; do
    seen=$folder/seen-$number.bpdump
    [ $number != 1 ] || seen=$folder/seen.bpdump
    check "$label: dump $number, joined" tiny_joined $number "$seen"
  done
}
tiny_joined() {
  "$BAREPROF" join "$folder/tiny.elf" "$2" -o "$folder/joined.profraw" &&
    cmp "$folder/joined.profraw" "$folder/$1.profraw"
}

# build_bits NAME FLAG...: builds byte counters of the same work, with a bit for
# each.
build_bits() {
  bits_name=$1
  shift
  set -- "$*" "$here/work.c" "$coverage/monitor.c" "$coverage/nmea.c"
  bits_flag=$1 bits_objects= bits_define=
  case $bits_name in mcdc) bits_define=-DMCDC ;; esac
  shift
  for source; do
    object=$folder/$bits_name-$(basename "$source" .c).o
    narrow byte "$llvm" "$(board_flags "$board") -O1 -g -ffreestanding
      -Iinclude -Itargets -Itests/wire -I$coverage -fprofile-instr-generate
      -fcoverage-mapping $bits_flag" "$source" "$object" || return 1
    bits_objects="$bits_objects $object"
  done
  tiny_by_gcc bits binary text init || return
  $MAKE -s firmware BOARD="$board" LLVM="$llvm" OUT="$folder" \
    NAME="$bits_name" SOURCES="$bits_objects" LINKER="$linker" \
    PLAIN="$coverage/stream.S $here/console.c $here/bits.c $by_gcc" \
    CFLAGS_APP="-O1 -Wall -Wextra -Werror -I$coverage $bits_define"
}

# Dumps of byte counters, two with numbers and one with bits; an image with a
# bitmap refuses only the bits.
row_bits() {
  check "$label: builds" build_bits bits
  check "$label: the firmware sends" capture bits
  check "$label: received" receive "$folder/capture" -o "$folder/seen.bpdump"
  equal "$label: no other dumps" 3 "$(count_seen)"
  check "$label: no dump of damaged logs is another" damaged 3
  for number in 1 2 3; do
    seen=$folder/seen-$number.bpdump
    [ $number != 1 ] || seen=$folder/seen.bpdump
    check "$label: dump $number, joined" bits_joined bits $number "$seen"
  done
  case $llvm in 1[3-7]) return ;; esac
  check "$label: with MC/DC: builds" build_bits mcdc -fcoverage-mcdc
  check "$label: with MC/DC: the firmware sends" capture mcdc
  check "$label: with MC/DC: received" \
    receive "$folder/capture" -o "$folder/seen.bpdump"
  check "$label: with MC/DC: dump 2, joined" \
    bits_joined mcdc 2 "$folder/seen-2.bpdump"
  equal "$label: with MC/DC: bits are refused" \
    "1 1-bit dumps contain no MC/DC" "$(bits_refused "$folder/seen-3.bpdump")"
  check "$label: with bytes for MC/DC: builds" bits_of_bytes
  check "$label: with bytes for MC/DC: the firmware sends" capture bytes
  check "$label: with bytes for MC/DC: received" \
    receive "$folder/capture" -o "$folder/seen.bpdump"
  for number in 1 2 3; do
    seen=$folder/seen-$number.bpdump
    [ $number != 1 ] || seen=$folder/seen.bpdump
    check "$label: with bytes for MC/DC: dump $number" bytes_joined $number \
      "$seen"
  done
}

bits_of_bytes() (
  export BAREPROF_MCDC=bytes
  build_bits bytes -fcoverage-mcdc
)

# The host makes bitmaps from both.
bytes_joined() {
  "$BAREPROF" join "$folder/bytes.elf" "$2" -o "$folder/joined.profraw" &&
    "llvm-profdata-$llvm" merge -text "$folder/joined.profraw" |
    grep -q '^0x[0-9a-f]*[1-9a-f]' || return 1
  for profile in joined "$1"; do
    "$BAREPROF" merge "$folder/$profile.profraw" \
      -o "$folder/$profile.profdata" || return 1
  done
  cmp "$folder/joined.profdata" "$folder/$1.profdata"
}

bits_joined() {
  "$BAREPROF" join "$folder/$1.elf" "$3" -o "$folder/joined.profraw" &&
    cmp "$folder/joined.profraw" "$folder/$2.profraw"
}
bits_refused() {
  "$BAREPROF" join "$folder/mcdc.elf" "$1" -o "$folder/refused.profraw" \
    2>"$folder/said"
  echo "$? $(grep -o '1-bit dumps contain no MC/DC' "$folder/said")"
  [ ! -e "$folder/refused.profraw" ]
}
