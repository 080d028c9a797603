# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes and judges the images of the link tests: objects, linker scripts, the
# link, the tools. `run` sources this file, and chooses the links and
# expectations.

# target_of NAME: sets flags, where flash and RAM begin, and GNU ld's name.
target_of() {
  flash=0x20400000 ram=0x80000000
  case $1 in
    thumbv7m)
      flash=0x08000000 ram=0x20000000
      flags=--target=thumbv7m-none-eabi gnu=arm-none-eabi-ld ;;
    rv32)
      flags="--target=riscv32-none-elf -march=rv32imac -mabi=ilp32"
      gnu="riscv64-unknown-elf-ld -m elf32lriscv" ;;
    rv64)
      flags="--target=riscv64-none-elf -march=rv64imac -mabi=lp64
        -mcmodel=medany"
      gnu="riscv64-unknown-elf-ld -m elf64lriscv" ;;
  esac
}

# objects VERSION TARGET MODE FLAGS...: compiles the code in a mode, once.
# In mode values, values.cpp takes the place of more.cpp.
objects() {
  objects_in=$OUT/$1-$2-$3
  [ -d "$objects_in" ] && return
  mkdir -p "$objects_in"
  clang=clang-$1 version=$1 mode=$3
  target_of "$2"
  shift 3
  # lld 14 cannot relax.
  [ "$version" -lt 15 ] && case $flags in *riscv*) flags="$flags -mno-relax" ;;
  esac
  more=more
  [ "$mode" = values ] && more=values
  $clang $flags $COMMON -c $HERE/stubs.c -o "$objects_in/stubs.o"
  $clang $flags $COMMON "$@" -c $HERE/code.c -o "$objects_in/c.o"
  for part in code $more; do
    $clang $flags $COMMON -fno-exceptions "$@" -c $HERE/$part.cpp \
      -o "$objects_in/$part.o"
  done
  # The constructors of clang 13 to 17 keep all alive: see README.md there.
  if [ "$version" -lt 18 ] && [ "$mode" != constructors ]; then
    for part in "$objects_in"/*.o; do
      $OBJCOPY --remove-section=.init_array.0 \
        --remove-section=.rel.init_array.0 \
        --remove-section=.rela.init_array.0 "$part"
    done
  fi
}

# script VENDOR TARGET FRAGMENT REGIONS: leaves the options for the linker in
# $script. FRAGMENT is full, lean, packed, one of these and -insert, or none;
# REGIONS is the third line of regions.ld for the insert fragments.
script() {
  target_of "$2"
  vendor=$OUT/$1-$2-$3.ld
  aliases='REGION_ALIAS("BAREPROF_RAM", RAM)'
  case $1 in
    *ram*) aliases=$aliases' REGION_ALIAS("BAREPROF_ROM", RAM)' ;;
    *) aliases=$aliases' REGION_ALIAS("BAREPROF_ROM", FLASH)' ;;
  esac
  here= include= insert=
  case $3 in
    full) include="INCLUDE bareprof.ld" here=$aliases ;;
    lean) include="INCLUDE bareprof-lean.ld" here=$aliases ;;
    packed) include="INCLUDE bareprof-packed.ld" here=$aliases ;;
    packed-insert) insert=bareprof-packed-insert.ld ;;
    full-insert) insert=bareprof-insert.ld ;;
    lean-insert) insert=bareprof-lean-insert.ld ;;
  esac
  sed "s/@FLASH@/$flash/;s/@RAM@/$ram/;s/@ALIASES@/$here/
       s/@PROFILE@/$include/" $HERE/vendor"${1#vendor}".ld >"$vendor"
  script="-L$SCRIPTS -T $vendor"
  if [ "$insert" ]; then
    printf '%s\n%s\n' "$aliases" "$4" >"$vendor.regions"
    script="$script -T $vendor.regions -T $SCRIPTS/$insert"
  fi
}

# link LINKER TARGET MODE OPTIONS...: LINKER is lld-N, or gnu-N for GNU ld
# with objects of clang N. What it says is in $said; succeeds if it linked.
image=$OUT/image.elf
link() {
  target_of "$2"
  command=ld.$1
  case $1 in gnu-*) command="$gnu --no-warn-rwx-segments" ;; esac
  link_in=$OUT/${1#*-}-$2-$3
  shift 3
  rm -f "$image"
  said=$($command $script --build-id=sha1 "$@" "$link_in"/*.o -o "$image" 2>&1)
  # lld 15 and 16 warn of what they then do: NOLOAD over loaded input.
  case $said in
    *warning*"section type mismatch"*)
      said=$(echo "$said" | sed '/section type mismatch/d;/^>>>/d;/^$/d') ;;
  esac
  [ -f "$image" ]
}

# sum NAME OBJECT...: prints the bytes of the sections of a name in the objects.
sum() {
  sum_name=$1
  shift
  $READELF -SW "$@" | sed -n "s/^ *\[ *[0-9]*\] $sum_name  *[A-Z]* //p" |
    while read -r _ _ bytes _; do echo $((0x$bytes)); done |
    awk '{ n += $1 } END { print n + 0 }'
}

# names: prints the bytes of names in the objects of the last link.
names() {
  [ -s "$link_in/names" ] ||
    sum __llvm_prf_names "$link_in"/*.o >"$link_in/names"
  cat "$link_in/names"
}

flat_size() {
  $OBJCOPY -O binary "$image" "$image.bin" && wc -c <"$image.bin"
}

# judge LABEL VARIABLE=VALUE...: runs layout.awk on the image, with a check for
# each group.
judge() {
  label=$1
  shift
  assignments=
  for variable; do assignments="$assignments -v $variable"; done
  $READELF -SlsW "$image" | awk $assignments -f $HERE/layout.awk |
    while IFS='	' read -r group why; do
      if [ "$why" ]; then
        not_ok "$label: $group" "$(echo "$why" | one_line)"
      else
        ok "$label: $group"
      fi
    done
}
