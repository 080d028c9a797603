# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Probes cost the image nothing: with each board's linker script and each
# linker, the loaded bytes are the same without sections of probes. A part of
# tests/probes/run. TARGETS=folder takes the boards from elsewhere.
TARGETS=${TARGETS:-targets}

# of NAME: prints the board.mk variable.
of() { sed -n "s/^BOARD_$1 := *//p" "$TARGETS/$board/board.mk"; }

# objects LLVM: makes with.o and without.o, without floats: clang 14 crashes on
# A32 code with probes and -mfloat-abi=softfp.
objects() {
  flags="$(of FLAGS | sed 's/-mfloat-abi=softfp//') -Iinclude -Itargets"
  cpu=$(of CPU)
  case $target in riscv*) flags="$flags -mno-relax" ;; esac
  # shellcheck disable=SC2086 # Several flags.
  "clang-$1" --target="$target" ${cpu:+-mcpu="$cpu"} $flags -O2 -g1 \
    -gdwarf-4 -std=c11 -ffreestanding -ffunction-sections -fdata-sections \
    -fpseudo-probe-for-profiling -c tests/probes/relaxed.c -o "$with.o" &&
    "llvm-objcopy-$LLVM_HOST" --remove-section=.pseudo_probe \
      --remove-section=.pseudo_probe_desc "$with.o" "$without.o"
}

# linked LINKER OBJECT: links OBJECT.elf, and makes OBJECT.bin for the flash.
linked() {
  # shellcheck disable=SC2046,SC2086 # Several words.
  $1 -L "$folder" -L "$TARGETS" -L linker-scripts \
    -T "$TARGETS/$board/board.ld" $(of LDFLAGS) -z max-page-size=4096 \
    -e _start --gc-sections "$2.o" -o "$2.elf" &&
    "llvm-objcopy-$LLVM_HOST" -O binary "$2.elf" "$2.bin" &&
    "llvm-readelf-$LLVM_HOST" -lW "$2.elf" | grep '^  LOAD' >"$2.segments"
}

# judged LINKER: there are sections of probes, none is loaded, and the loaded
# bytes are the same as without probes.
judged() {
  linked "$1" "$with" && linked "$1" "$without" || return 1
  "llvm-readelf-$LLVM_HOST" -SW "$with.elf" | sed 's/^ *\[ *[0-9]*\]//' |
    awk '
      $1 ~ /^\.pseudo_probe(_desc)?$/ && $2 == "PROGBITS" {
        found += $5 != "000000"
        if ($7 ~ /A/) loaded = loaded " " $1
      }
      END {
        if (loaded) print "loaded:" loaded
        exit found != 2 || loaded != ""
      }' || { echo "$1: sections"; return 1; }
  [ -s "$with.bin" ] && cmp "$with.bin" "$without.bin" &&
    cmp "$with.segments" "$without.segments"
}

# lld 14 does not have --be8.
linkers_of() {
  case $target in
    armeb*) echo "ld.lld-$LLVM_HOST" ;;
    *) echo "ld.lld-$1" ;;
  esac
  case $target in
    arm* | thumb*) echo "arm-none-eabi-ld --no-warn-rwx-segments" ;;
    riscv32*) echo "riscv64-unknown-elf-ld -m elf32lriscv" ;;
    riscv64*) echo "riscv64-unknown-elf-ld -m elf64lriscv" ;;
  esac
}

# judged_all LLVM FRAGMENT: judges with each linker.
judged_all() {
  echo "$2" >"$folder/fragment.ld"
  linkers_of "$1" >"$folder/linkers"
  while read -r linker; do
    judged "$linker" || {
      echo "clang $1, $linker, '$2'"
      return 1
    }
  done <"$folder/linkers"
}

# loaded BOARD: all compilers with bareprof's full script, and one compiler
# without it and with the lean script.
loaded() {
  board=$1 folder=$OUT/loaded/$1
  target=$(of TARGET) with=$folder/with without=$folder/without
  mkdir -p "$folder"
  for llvm in $LLVM_REQUIRED; do
    objects "$llvm" && judged_all "$llvm" "INCLUDE bareprof.ld" || return 1
    [ "$llvm" = "$LLVM_HOST" ] || continue
    judged_all "$llvm" "" && judged_all "$llvm" "INCLUDE bareprof-lean.ld" ||
      return 1
  done
}

loaded_all() {
  for board_file in "$TARGETS"/*/board.mk; do
    board_name=$(basename "$(dirname "$board_file")")
    # One board of each architecture; FULL runs all boards.
    case $board_name in
      mps2-an385 | virt-cortex-a15 | virt-aarch64 | virt-riscv32) ;;
      *) [ -n "${FULL:-}" ] || continue ;;
    esac
    check "probes loaded: $board_name, no byte" loaded "$board_name"
  done
}
