# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Links MIP's fragments with each linker, on a script like a vendor's, with and
# without the fragments of profiles. Nothing runs. target.sh sources this file.
# SCRIPTS=folder takes the fragments from elsewhere, to see a check fail.
# shellcheck disable=SC2086 # Variables that hold several flags.

SCRIPTS=${SCRIPTS:-linker-scripts}
link_out=$OUT/link

# link_target NAME: sets flags, addresses, and the name of GNU ld.
link_target() {
  flash=0x20400000 ram=0x80000000
  case $1 in
    thumbv7m)
      flags=--target=thumbv7m-none-eabi gnu=arm-none-eabi-ld
      flash=0x08000000 ram=0x20000000 ;;
    rv32)
      flags="--target=riscv32-none-elf -march=rv32imac -mabi=ilp32 -mno-relax"
      gnu="riscv64-unknown-elf-ld -m elf32lriscv" ;;
    rv64)
      flags="--target=riscv64-none-elf -march=rv64imac -mabi=lp64 -mno-relax
        -mcmodel=medany"
      gnu="riscv64-unknown-elf-ld -m elf64lriscv" ;;
  esac
}

# link_needs LINKER [COMPILER]: `needs` for $label and link_target's target.
link_needs() {
  case $1 in
    lld-*) set -- "ld.$1" "${2:-clang-${1#lld-}}" ;;
    *) set -- "${gnu%% *}" "${2:-clang-22}" ;;
  esac
  needs "$label" "$@"
}

# link_script FORM FRAGMENT...: makes $script. FORM: include, insert.
link_script() {
  form=$1
  shift
  aliases='REGION_ALIAS("BAREPROF_RAM", RAM)'
  aliases="$aliases REGION_ALIAS(\"BAREPROF_ROM\", FLASH)"
  include='' here='' more='' last=__bareprof_mip_stop
  for fragment; do
    include="$include INCLUDE $fragment.ld"
    more="$more -T $SCRIPTS/$fragment-insert.ld"
  done
  # The heap begins after these sections.
  case ${fragment-} in bareprof | bareprof-lean) last=__bareprof_end ;; esac
  if [ "$form" = include ]; then
    here=$aliases more=''
  else
    include=''
    printf '%s\nend = %s;\n' "$aliases" $last >"$link_out/regions.ld"
    more="-T $link_out/regions.ld $more"
  fi
  [ $# -gt 0 ] || more=''
  sed "s/@FLASH@/$flash/;s/@RAM@/$ram/;s/@ALIASES@/$here/
    s/@PROFILE@/$include/" tests/link/vendor.ld >"$link_out/vendor.ld"
  script="-L $SCRIPTS -T $link_out/vendor.ld $more"
}

# link_image LINKER OPTION...: links $link_objects to $image; its messages are
# in $said.
link_image() {
  command=ld.$1
  [ "$1" != gnu ] || command="$gnu --no-warn-rwx-segments"
  shift
  image=$link_out/image.elf
  rm -f "$image"
  said=$($command $script "$@" $link_objects -o "$image" 2>&1)
  [ -f "$image" ] &&
    "llvm-readelf-$LLVM_HOST" -SlsW "$image" >"$image.told"
}

link_objects() {
  for kind in mip plain; do
    object=$link_out/$1-$target-$kind.o
    [ -f "$object" ] || "clang-$1" $flags $([ $kind = mip ] || echo -DPLAIN) \
      -c $HERE/target_link.S -o "$object"
  done
  link_mip=$link_out/$1-$target-mip.o link_plain=$link_out/$1-$target-plain.o
}

# section NAME: prints type, size, flags; nothing if it is missing.
section() {
  sed -n 's/^ *\[ */[/p' "$image.told" |
    awk -v name="$1" '$2 == name {print $3, $6, $8 ~ /^[A-Z]+$/ ? $8 : "-"}'
}

# Prints an image's size in flash: of the binary for a programmer, and of its
# segments.
flash_of() {
  "llvm-objcopy-$LLVM_HOST" -O binary "$image" "$image.bin" &&
    awk -v flat="$(wc -c <"$image.bin")" '
      $1 == "LOAD" {split($5, size, "x"); list = list " " size[2]}
      END {print flat list}' "$image.told" | sed 's/ 0\{5,\}\b//g'
}

address() {
  awk -v name="$1" '$8 == name {print $2; exit}' "$image.told"
}

# linked LINKER TARGET FORM GC: tests one cell.
linked() {
  label="mip link $1 $2 $3 $4"
  linker=$1 target=$2
  link_target $target
  link_needs $linker || return 0
  case $linker in gnu) link_objects 22 ;; *) link_objects "${linker#lld-}" ;;
  esac
  link_script $3
  link_objects=$link_plain
  link_image $linker --$4
  before=$(flash_of) end_before=$(address end)
  link_script $3 bareprof-mip
  link_image $linker --$4
  equal "$label: without MIP the same in flash" "$before" "$(flash_of)"
  equal "$label: without MIP no bytes" "" "$(section __llvm_mipraw |
    grep -v ' 000000 ')$(section __llvm_mipmap | grep -v ' 000000 ')"
  [ $3 = insert ] || equal "$label: without MIP the same end" \
    "$end_before" "$(address end)"
  link_objects=$link_mip
  link_image $linker --$4
  equal "$label: links without a word" "" "$said"
  [ -f "$image" ] || return
  case $4 in gc-sections) raw=00001a map=000068 ;; *) raw=00001c map=0000b8 ;;
  esac
  raw_size=$((0x$(address __bareprof_mip_end) - \
    0x$(address __bareprof_mip_begin)))
  equal "$label: raw bytes" $((0x$raw)) $raw_size
  equal "$label: in RAM" "NOBITS 000020 WAG" \
    "$(section __llvm_mipraw | sed 's/WA[GR]*$/WAG/')"
  equal "$label: the map is in the file" "PROGBITS $map -" \
    "$(section __llvm_mipmap | sed 's/[GR]*$//;s/ $/ -/')"
  equal "$label: the header is first" \
    $((0x$(address __bareprof_mip_begin) + 24)) $((0x$(address first_RAW)))
  equal "$label: at a multiple of 8" 0 \
    $((0x$(address __bareprof_mip_begin) & 7))
  equal "$label: nothing more in flash" "$before" "$(flash_of)"
  check "$label: names are in the file" grep -q map_third "$image"
  check "$label: names are not in flash" sh -c "! grep -q map_ $image.bin"
  check "$label: the heap is behind" test \
    $((0x$(address end))) -ge $((0x$(address __bareprof_mip_end)))
  "llvm-objcopy-$LLVM_HOST" --dump-section=__llvm_mipmap="$link_out/map" \
    "$image" "$link_out/copy"
  equal "$label: the map begins with its header" "fb4d495008000200" \
    "$(od -An -v -tx1 -N 8 "$link_out/map" | tr -d ' \n')"
}

# beside LINKER FORM FRAGMENT...: the same image also has clang's profile.
beside() {
  label="mip link $*"
  wanted "$label" || return 0
  linker=$1 form=$2 target=thumbv7m
  shift 2
  link_target $target
  link_needs $linker clang-22 || return 0
  link_objects 22
  counted=$link_out/counted.o
  [ -f "$counted" ] || echo 'int first(void); int other_file(void);
    __attribute__((used, retain)) int other_file(void) { return first(); }' |
    clang-22 $flags -Os -ffreestanding -ffunction-sections -xc - -c \
      -fprofile-instr-generate -fcoverage-mapping -o "$counted"
  link_objects="$link_mip $counted"
  link_script $form "$@"
  link_image $linker --gc-sections --build-id=sha1 \
    --defsym=__llvm_profile_runtime=0
  equal "$label: links without a word" "" "$said"
  equal "$label: both are there" "NOBITS 000020 NOBITS 000008" \
    "$(echo $(section __llvm_mipraw) $(section __llvm_prf_cnts) |
      awk '{print $1, $2, $4, $5}')"
  overlap=$(grep -c OVERLAP "$image.told")
  equal "$label: apart" 0 "$overlap"
  check "$label: the heap is behind both" test \
    $((0x$(address end))) -ge $((0x$(address __bareprof_mip_end))) -a \
    $((0x$(address end))) -ge $((0x$(address __stop___llvm_prf_cnts)))
}

# The heap must not begin below the raw section.
heap_below() {
  label="mip link $1 a heap below: refused" target=thumbv7m
  link_target $target
  link_needs $1 clang-22 || return 0
  link_objects 22
  link_objects=$link_mip
  link_script insert bareprof-mip
  sed -i '/^end/d' "$link_out/regions.ld"
  link_image "$1" --gc-sections
  echo "$said" >"$link_out/said"
  check "$label" grep -q "end' is below __llvm_mipraw" "$link_out/said"
}

# A helper of ARMv6-M loads the halves of the address after the call.
halves() {
  $MAKE -s lib LLVM="$LLVM_HOST" TARGET="$1" &&
    "llvm-objdump-$LLVM_HOST" -d --disassemble-symbols=bareprof_mip_cover \
      "$BUILD/llvm-$LLVM_HOST/$1/libbareprof.a" 2>/dev/null |
    sed -n 's/.*ldrh[[:space:]]*//p' | one_line
}

rm -rf "$link_out"
mkdir -p "$link_out"
equal "mip link: halves of an address, ARMv6-M, little-endian" \
  "r0, [r1] r2, [r1, #0x2] " "$(halves thumbv6m-none-eabi)"
equal "mip link: halves of an address, ARMv6-M, big-endian" \
  "r0, [r1, #0x2] r2, [r1] " "$(halves thumbebv6m-none-eabi)"
for linker in lld-14 lld-19 lld-22 gnu; do
  for target in thumbv7m rv32 rv64; do
    case $linker-$target${FULL:-} in
      lld-1*-rv64*) continue ;;
      lld-19-* | lld-14-rv32) continue ;; # only FULL runs these
    esac
    linked $linker $target include gc-sections
    linked $linker $target insert no-gc-sections
  done
  heap_below $linker
done
linked lld-22 thumbv7m insert gc-sections
linked gnu thumbv7m insert gc-sections
for linker in lld-22 gnu; do
  for form in include insert; do
    beside $linker $form bareprof bareprof-mip
    beside $linker $form bareprof-lean bareprof-mip
    beside $linker $form bareprof-mip bareprof
  done
done
