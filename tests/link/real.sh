# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Vendors' own scripts, which are not in this repository: VENDOR_SCRIPTS is a
# folder that has them, at any depth, with what they include next to them.
# Scripts that lld rejects even without bareprof have a row in
# docs/how-to/linker-errors, and for-lld.awk helps at once. Then each links with
# README's line, or, at the second attempt, with the lines that
# docs/how-to/linker-errors gives for the linker's message; the doctor may name
# one line more. Tried with the scripts of STM32CubeF4, freedom-e-sdk, nrfx,
# pico-sdk, NXP's mcux-devices-mcx, mspm0-sdk, simplelink-lowpower-f3-sdk,
# ArduinoCore-renesas and -GD32, GD32VF103_Firmware_Library,
# esp32c3-direct-boot-example, and Zephyr's as cpp leaves it. `run` sources it.

real_out=$OUT/real

# real_regions SCRIPT: sets $ram and $rom from the names in MEMORY.
real_regions() {
  ram='' rom=''
  # In the script, or in a file that it includes.
  for real_name in $(cat "$1" "$real_folder/include/memory.ld" 2>/dev/null |
    sed -n '/MEMORY/,/}/{
      s/^[[:space:]]*\([A-Za-z_0-9]*\) *\(([^)]*)\)* *:.*/\1/p;}'); do
    case $real_name in
      RAM | *ram | SRAM | SRAM_BANK0 | DTCMRAM | m_data | m_data1)
        ram=${ram:-$real_name} ;;
      FLASH | flash | ROM | rom | m_text | drom) rom=${rom:-$real_name} ;;
    esac
  done
  case $real_folder in */pico_crt0/*) rom=FLASH ;; esac
  # All code is in RAM.
  case $script in *_no_flash.ld | *scratchpad*) rom=$ram ;; esac
  [ "$ram" ] && rom=${rom:-$ram}
}

# real_machine SCRIPT: sets the objects and the linker's name.
real_machine() {
  if grep -qi 'riscv\|esp32c' "$1"; then
    real_target=riscv32-none-elf real_gnu=riscv64-unknown-elf-ld
    real_gnu="$real_gnu -melf32lriscv"
  else
    real_target=thumbv7m-none-eabi real_gnu=arm-none-eabi-ld
  fi
}

# real_link LINKER SCRIPT OBJECTS FLAG...: links, with the linker's messages in
# $said.
real_link() {
  case $1 in gnu) real_linker=$real_gnu ;; *) real_linker=ld.$1 ;; esac
  real_file=$2 real_linked=$3
  shift 3
  rm -f "$image"
  # shellcheck disable=SC2086 # A program with a flag.
  said=$(cd "$real_folder" && $real_linker --gc-sections \
    -e main --unresolved-symbols=ignore-all -L . -L include -L "$real_out/include" \
    -T "$real_file" "$@" "$real_out/$real_target/$real_linked"/*.o \
    -o "$image" 2>&1)
  [ -f "$image" ]
}
real_with_ours() {
  real_link "$1" "$2" measured --build-id -u bareprof_preinit \
    -L "$real_top/linker-scripts" -T "$real_out/regions.ld" -T $insert \
    "$real_top/$BUILD/llvm-22/$real_target/libbareprof.a"
}

# real_known: the table has a row for lld's message about a GNU ld script.
real_known() {
  for real_text in "memory region not defined: " "{ expected, but got ALIGN" \
    "invalid memory region attribute" "symbol not found: READONLY" \
    "unable to move location counter"; do
    case $said in *"$real_text"*)
      grep 'for-lld.awk' "$real_top/docs/how-to/linker-errors.md" | grep -qF "$real_text" &&
        return ;;
    esac
  done
  echo "no row: $said" | head -n 2
  return 1
}
# real_mended SCRIPT: changes a script as docs/how-to/linker-errors says, and
# links with it.
real_mended() {
  awk -f "$real_top/linker-scripts/for-lld.awk" "$1" >"$real_out/lld.ld" &&
    real_known && real_link lld-22 "$real_out/lld.ld" plain
}

# Prints the lines that a reader of the table writes into regions.ld; fails if
# there is no row. A region of its own for the counters also answers messages
# about the heap.
real_answer() {
  real_rows=
  case $said in *"load address range overlaps with"* | \
    *"overlaps section .data LMA"*) own="$own ROM" real_rows=1 ;;
  esac
  case $said in
    *__llvm_prf_cnts\'" will not fit in region"*) own="$own RAM" real_rows=1 ;;
    *"put \`__bareprof_end_checked = 1;"*)
      real_heaps="__bareprof_end_checked = 1;" real_rows=1 ;;
    *"is below the counters: put"* | *"the counters; put"* | \
      *"covers the counters"*)
      real_heaps="$real_heaps
$(echo "$said" | grep -o '[A-Za-z_]* = __[a-z_]*;' | sort -u)" real_rows=1 ;;
  esac
  case $said in *"output file too large"* | *"in no segment of PHDRS"* | \
    *"can't be allocated in segment"*)
    insert=bareprof-phdrs-insert.ld real_rows=1 ;;
  esac
  { table_regions && echo "$real_heaps"; } >"$real_out/regions.ld"
  [ "$real_rows" ]
}

# real_script LINKER SCRIPT
real_script() {
  insert=bareprof-insert.ld own='' real_heaps=''
  real_regions "$2" || { echo "no RAM in its MEMORY"; return 1; }
  readme_regions >"$real_out/regions.ld"
  if real_with_ours "$1" "$2"; then
    real_doctor && return
    said=$real_found
  fi
  real_answer || { echo "$said" | head -n 2; return 1; }
  real_with_ours "$1" "$2" || { echo "again: $said" | head -n 3; return 1; }
  real_doctor && return
  said=$real_found
  real_answer && real_with_ours "$1" "$2" && real_doctor ||
    { echo "then: $said, $real_found"; return 1; }
}
# real_init LINKER SCRIPT: links at the first attempt with what init writes of
# $script.
real_init() {
  "$real_out/at/bin/bareprof" init "$script" --heap open --force --llvm 22 \
    --target $real_target -o "$real_out" -L "$real_folder/include" \
    -L "$real_out/include" >"$real_out/lines" || return 1
  insert=$(grep -o -m 1 'bareprof[a-z-]*insert.ld' "$real_out/lines")
  real_with_ours "$1" "$2" || { echo "$said" | head -n 3; return 1; }
  real_doctor || { echo "$real_found"; return 1; }
}
# The doctor finds nothing that the scripts could fix: start-up code is missing.
real_doctor() {
  real_found=$("$BUILD/bareprof" doctor "$image" |
    awk '/^[^ ]/ { on = /^error/ && !/ D0[67][0-9] / } on' | tr -s ' \n' ' ')
  [ -z "$real_found" ]
}

# real_object NAME FOLDER: compiles the C on standard input.
real_object() {
  clang-22 --target=$real_target -O1 -ffreestanding -c -x c - \
    -o "$real_out/$real_target/$2/$1.o"
}

# placed LINKER SCRIPT: counters of `cc --place=bss`, and nothing of ours. They
# are where the script puts the program's own zeros.
real_placed() {
  real_link "$1" "$2" placed -u own_zeros ||
    { echo "$said" | head -n 2; return 1; }
  real_found=$("$BUILD/bareprof" doctor "$image" |
    awk '/^(error|warning)/ && !/ D0[67][0-9] /')
  [ -z "$real_found" ] || { echo "$real_found"; return 1; }
  # The first record's counters, and the section of own_zeros.
  llvm-objcopy-22 --dump-section "__llvm_covdata=$image.records" "$image" ||
    return 1
  real_at=0x$(od -An -tx4 -j16 -N4 "$image.records" | tr -d ' ')
  # shellcheck disable=SC2046 # Two numbers.
  set -- $(llvm-readelf-22 -sSW "$image" | sed 's/^ *\[ *\([0-9]*\)\]/\1/' |
    awk '$8 ~ /^[A-Wa-z]*$/ && $3 == "NOBITS" { at[$1] = "0x" $4 " 0x" $6 }
      $8 == "own_zeros" { print at[$7] }')
  [ $# = 2 ] && [ $((real_at)) -ge $(($1)) ] &&
    [ $((real_at)) -lt $(($1 + $2)) ] ||
    { echo "the counters are at $real_at, its zeros in $*"; return 1; }
}

real_objects() {
  mkdir -p "$real_out/include"
  echo 'FLASH (rx) : ORIGIN = 0x10000000, LENGTH = 2M' \
    >"$real_out/include/pico_flash_region.ld"
  # Files that scripts name in GROUP and /DISCARD/.
  for file in c c_nano m gcc nosys; do
    printf '!<arch>\n' >"$real_out/include/lib$file.a"
  done
  for real_target in thumbv7m-none-eabi riscv32-none-elf; do
    for file in measured plain placed; do
      mkdir -p "$real_out/$real_target/$file"
    done
    $MAKE -s -j "$JOBS" lib tool TARGET=$real_target &&
      install_for_init "$real_out/at" $real_target || return 1
    for file in main thermostat; do
      measured="$COVERAGE -fcoverage-mcdc"
      [ $file = thermostat ] || measured=
      # shellcheck disable=SC2086 # Flags.
      clang-22 --target=$real_target -O1 -g -gdwarf-4 -ffreestanding \
        -ffunction-sections -Iinclude -I$start $measured -c $start/$file.c \
        -o "$real_out/$real_target/measured/$file.o" || return 1
    done
    # Objects that the scripts of the Pico, Renesas and Espressif need.
    real_object needed measured <<'C' || return 1
__attribute__((section(".boot2"), used)) const char boot[256] = {1};
__attribute__((section(".fixed_vectors"), used)) const char __Vectors[64] = {1};
__attribute__((section(".text.entry"), used)) void entry(void) {}
C
    cp "$real_out/$real_target/measured/needed.o" "$real_out/$real_target/plain"
    cp "$real_out/$real_target/measured/main.o" \
      "$real_out/$real_target/measured/needed.o" "$real_out/$real_target/placed"
    "$BUILD/bareprof" cc --coverage=mcdc clang-22 --target=$real_target -O1 -g \
      -gdwarf-4 -ffreestanding -ffunction-sections -fdata-sections \
      -c $start/thermostat.c -o "$real_out/$real_target/placed/thermostat.o" &&
      echo 'int own_zeros[4];' | real_object zeros placed || return 1
    echo 'int done, to; int main(void) { return done + to; }' |
      real_object main plain || return 1
  done
}

# real_pair LINKER SCRIPT LABEL: checks our ways to use a script that links
# without us.
real_pair() {
  if real_link "$1" "$2" plain; then
    check "$3" real_script "$1" "$2"
    check "$3, init" real_init "$1" "$2"
    check "$3, --place=bss" real_placed "$1" "$2"
  elif [ "$1" = gnu ]; then
    ok "$3 refuses it also without bareprof: $(echo "$said" | head -n 1)"
  else
    check "$3: refused without bareprof, until for-lld.awk" real_mended "$2" &&
      check "$3" real_script "$1" "$real_out/lld.ld" &&
      check "$3, init" real_init "$1" "$real_out/lld.ld"
  fi
}

# A shell of its own: the cells after it have images of their own.
real_scripts() (
  real_top=$PWD image=$PWD/$real_out/image.elf
  real_out=$PWD/$real_out
  real_objects >"$OUT/real.log" 2>&1 ||
    { not_ok "link real: objects" "$(tail -n 2 "$OUT/real.log")"; return; }
  find "$VENDOR_SCRIPTS" -name '*.ld' -o -name '*.lds' | LC_ALL=C sort |
    while read -r script; do
      # Others include those.
      case $script in *_common*.ld | */include/*) continue ;; esac
      grep -q 'SECTIONS\|INCLUDE' "$script" || continue
      real_folder=$(dirname "$script")
      real_machine "$script"
      for linker in lld-22 gnu; do
        real_pair $linker "$script" \
          "link real: ${script#"$VENDOR_SCRIPTS"/}, $linker"
      done
    done
)
