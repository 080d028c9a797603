# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Vendors' own scripts, which are not in this repository: VENDOR_SCRIPTS is a
# folder that has them, at any depth. Each links with README's line, or with
# what the table of docs/start says to the linker's message, at the second
# attempt; the doctor may name one line more. A script that the linker refuses
# also without us is passed over. `run` sources it.

real_out=$OUT/real

# real_regions SCRIPT: $ram and $rom, by the names in MEMORY.
real_regions() {
  ram='' rom=''
  for real_name in $(sed -n '/MEMORY/,/}/{
    s/^ *\([A-Za-z_0-9]*\) *\(([^)]*)\)* *:.*/\1/p;}' "$1"); do
    case $real_name in
      RAM | ram | SRAM | DTCMRAM) [ "$ram" ] || ram=$real_name ;;
      FLASH | flash | ROM | rom) [ "$rom" ] || rom=$real_name ;;
    esac
  done
  case $1 in */pico_crt0/*) rom=FLASH ;; esac # of a file that is included
  # All code is in RAM.
  case $1 in *_no_flash.ld | *scratchpad*) rom=$ram ;; esac
  [ "$ram" ] && rom=${rom:-$ram}
}

# real_machine SCRIPT: the objects and the linker's own name.
real_machine() {
  case $1 in
    *.lds) real_target=riscv32-none-elf real_gnu=riscv64-unknown-elf-ld
      real_gnu="$real_gnu -melf32lriscv" ;;
    *) real_target=thumbv7m-none-eabi real_gnu=arm-none-eabi-ld ;;
  esac
}

# real_link LINKER SCRIPT OBJECTS FLAG...: $said is what the linker says.
real_link() {
  case $1 in gnu) real_linker=$real_gnu ;; *) real_linker=ld.$1 ;; esac
  real_file=$2 real_linked=$3
  shift 3
  rm -f "$image"
  # shellcheck disable=SC2086 # A program with a flag.
  said=$(cd "$(dirname "$real_file")" && $real_linker --gc-sections \
    -e main --unresolved-symbols=ignore-all -L . -L "$real_out/include" \
    -T "$real_file" "$@" "$real_out/$real_target/$real_linked"/*.o \
    -o "$image" 2>&1)
  [ -f "$image" ]
}
real_with_ours() {
  real_link "$1" "$2" measured --build-id -u bareprof_preinit \
    -L "$real_top/linker-scripts" -T "$real_out/regions.ld" -T $insert \
    "$real_top/$BUILD/llvm-22/$real_target/libbareprof.a"
}

# What a reader of the table writes into regions.ld; 1 if it has no row for it.
real_answer() {
  case $said in
    *"is below the counters: put"* | *"would overwrite the counters; put"*)
      echo "$said" | grep -o '[A-Za-z_]* = __bareprof_end;' | sort -u \
        >>"$real_out/regions.ld" ;;
    *"overlaps with .note.gnu.build-id"* | *"overlaps section .data LMA"*)
      own=ROM && table_regions >"$real_out/regions.ld" ;;
    *"'__llvm_prf_cnts' will not fit in region"* | \
      *"\`__llvm_prf_cnts' will not fit in region"*)
      own=RAM && table_regions >"$real_out/regions.ld" ;;
    *"output file too large"* | *"can't be allocated in segment"* | \
      *"in no segment of PHDRS"*) insert=bareprof-phdrs-insert.ld ;;
    *) return 1 ;;
  esac
}

# real_script LINKER SCRIPT
real_script() {
  insert=bareprof-insert.ld own='' heaps=''
  real_machine "$2"
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
# Nothing that the scripts could mend: no start-up code is there.
real_doctor() {
  real_found=$("$BUILD/bareprof" doctor "$image" |
    awk '/^[^ ]/ { on = /^error/ && !/ D0[67][0-9] / } on' | tr -s ' \n' ' ')
  [ -z "$real_found" ]
}

# placed LINKER SCRIPT: counters of `cc --place=bss`, and nothing of ours. They
# are where the script puts the program's own zeros.
real_placed() {
  real_link "$1" "$2" placed -u own_zeros || { echo "$said" | head -n 2; return 1; }
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
  # What scripts name in GROUP and /DISCARD/.
  for file in c m gcc nosys; do
    printf '!<arch>\n' >"$real_out/include/lib$file.a"
  done
  for real_target in thumbv7m-none-eabi riscv32-none-elf; do
    for file in measured plain placed; do
      mkdir -p "$real_out/$real_target/$file"
    done
    $MAKE -s -j "$JOBS" lib tool TARGET=$real_target || return 1
    for file in main thermostat; do
      measured="$COVERAGE -fcoverage-mcdc"
      [ $file = thermostat ] || measured=
      # shellcheck disable=SC2086 # Flags.
      clang-22 --target=$real_target -O1 -g -gdwarf-4 -ffreestanding \
        -ffunction-sections -Iinclude -I$start $measured -c $start/$file.c \
        -o "$real_out/$real_target/measured/$file.o" || return 1
    done
    cp "$real_out/$real_target/measured/main.o" "$real_out/$real_target/placed"
    "$BUILD/bareprof" cc --coverage=mcdc clang-22 --target=$real_target -O1 -g \
      -gdwarf-4 -ffreestanding -ffunction-sections -fdata-sections \
      -c $start/thermostat.c -o "$real_out/$real_target/placed/thermostat.o" &&
      echo 'int own_zeros[4];' | clang-22 --target=$real_target \
        -ffreestanding -c -x c - -o "$real_out/$real_target/placed/zeros.o" ||
      return 1
    echo '__attribute__((section(".boot2"), used)) const char b[256] = {1};' |
      clang-22 --target=$real_target -ffreestanding -c -x c - \
        -o "$real_out/$real_target/measured/boot2.o" || return 1
    for file in plain placed; do
      cp "$real_out/$real_target/measured/boot2.o" "$real_out/$real_target/$file"
    done
    echo 'int done, to; int main(void) { return done + to; }' |
      clang-22 --target=$real_target -ffreestanding -c -x c - \
        -o "$real_out/$real_target/plain/main.o" || return 1
  done
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
      case $script in *_common.ld | *memory_regions.ld) continue ;; esac
      for linker in lld-22 gnu; do
        real_label="link real: ${script#"$VENDOR_SCRIPTS"/}, $linker"
        real_machine "$script"
        if real_link $linker "$script" plain; then
          check "$real_label" real_script $linker "$script"
          check "$real_label, --place=bss" real_placed $linker "$script"
        else
          ok "$real_label refuses it also without bareprof"
        fi
      done
    done
)
