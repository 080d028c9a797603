# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Twelve shapes of vendors' scripts, unchanged: each links with README's line,
# or the table in docs/how-to/linker-errors has the linker's message. With the
# table's lines, each links, the doctor finds nothing, and the report from QEMU
# is right. for-lld.awk changes scripts that lld cannot read. `run` sources this
# file.

start=examples/start
top=$PWD
shapes_out=$OUT/shapes

# shape NAME: sets the regions of RAM and ROM; the message of each linker, "" if
# README's line suffices; what to write: alias or own, names of heaps.
shape() {
  ram=RAM rom=FLASH lld='' gnu_says='' own='' heaps='' insert=bareprof-insert.ld
  below="is below the counters: put"
  ends="is below the counters, and the script ends the heap: put"
  case $1 in
    user-heap-stack) heaps="end _end" lld=$below ;;
    at-symbol) own=ROM heaps="end __end__" lld="address range overlaps with"
      gnu_says="overlaps section .data LMA" ;;
    heap-to-end) heaps="end _end __end__ __heap_start" lld=$below
      gnu_says=$below ;;
    phdrs) ram=ram rom=rom insert=bareprof-phdrs-insert.ld
      lld="output file too large" gnu_says="doctor: PHDRS and is not loaded; link with" ;;
    stack-at-end) ram=m_data rom=m_text own="RAM ROM"
      lld="'__llvm_prf_cnts' will not fit in region"
      gnu_says="\`__llvm_prf_cnts' will not fit in region" ;;
    load-chain) own=ROM lld="address range overlaps with" ;;
    aliased) ram=SRAM_DATA heaps=checked lld=$ends gnu_says=$ends ;;
    heap-to-stack) ram=ram rom=flash own=RAM
      lld="'__llvm_prf_cnts' will not fit in region"
      gnu_says="\`__llvm_prf_cnts' will not fit in region" ;;
    no-dots) heaps=_end lld=$below gnu_says=$below ;;
    heap-then-stack) ram=m_data rom=m_text own=ROM heaps="end __end__"
      lld="address range overlaps with"
      gnu_says="doctor: unless _sbrk stops at \`__HeapLimit'" ;;
    for-gnu-ld) ram=ram rom=rom own=RAM lld="memory region not defined"
      gnu_says="\`__llvm_prf_cnts' will not fit in region" ;;
    two-views) ram=dram0_0_seg rom=irom_seg heaps=_heap_start ;;
  esac
}

# Both aliases, as README has them.
readme_regions() {
  printf 'REGION_ALIAS("BAREPROF_RAM", %s)\n' "$ram"
  printf 'REGION_ALIAS("BAREPROF_ROM", %s)\n' "$rom"
}
# The lines of the table in docs/how-to/linker-errors.
table_regions() {
  case $own in
    *RAM*) printf 'MEMORY { BAREPROF_RAM (rw) : ORIGIN = ORIGIN(%s) + LENGTH(%s) - 16K, LENGTH = 8K }\n' "$ram" "$ram" ;;
    *) readme_regions | sed 1q ;;
  esac
  case $own in
    *ROM*) printf 'MEMORY { BAREPROF_ROM (r) : ORIGIN = ORIGIN(%s) + LENGTH(%s) - 64K, LENGTH = 64K }\n' "$rom" "$rom" ;;
    *) readme_regions | sed 1d ;;
  esac
  for heap in $heaps; do
    case $heap in checked) echo '__bareprof_end_checked = 1;' ;;
    *) echo "$heap = __bareprof_end;" ;;
    esac
  done
}
# Each of these lines stands in docs/how-to/linker-errors, with README's names of regions.
in_docs() {
  table_regions | sed "s/\b$ram\b/RAM/g; s/\b$rom\b/FLASH/g" |
    while read -r line; do
      case $line in
        REGION_ALIAS*) ;;
        *' = __bareprof_end;') grep -q 'end = __bareprof_end;' docs/how-to/linker-errors.md ;;
        *) grep -qF "$line" docs/how-to/linker-errors.md ;;
      esac || { echo "not in docs/how-to/linker-errors: $line"; exit 1; }
    done && { [ "$insert" = bareprof-insert.ld ] ||
      grep -q "$insert" docs/how-to/linker-errors.md; }
}

shape_link() {
  case $1 in
    gnu) command=arm-none-eabi-ld ;;
    *) command=ld.$1 ;;
  esac
  rm -f "$image"
  said=$($command --gc-sections --build-id -u bareprof_preinit \
    -L linker-scripts -T "$script" -T "$shapes_out/regions.ld" \
    -T "$3" "$shapes_out"/*.o \
    "$BUILD/llvm-22/thumbv7m-none-eabi/libbareprof.a" -o "$image" 2>&1)
}

# for_lld SHAPE: makes a copy for lld, which is equal if lld takes the shape.
for_lld() {
  script=$shapes_out/lld.ld
  awk -f linker-scripts/for-lld.awk "$HERE/shapes/$1.ld" >"$script"
}
# first_link LINKER SHAPE: links with README's line.
first_link() {
  readme_regions >"$shapes_out/regions.ld"
  script=$HERE/shapes/$2.ld
  shape_link "$1" "$2" bareprof-insert.ld
  wanted_text=$lld
  [ "$1" = gnu ] && wanted_text=$gnu_says
  # lld 19 checks the heap's symbols before regions are full.
  case $1-$2 in
    lld-19-heap-to-stack) wanted_text=$below ;;
    lld-19-stack-at-end) wanted_text=$ends ;;
  esac
  [ "$wanted_text" ] || { [ -z "$said" ] && return; }
  # The link is silent, and the doctor finds the fault.
  case $wanted_text in doctor:*)
    wanted_text=${wanted_text#doctor: }
    [ -z "$said" ] &&
      said=$("$BUILD/bareprof" doctor "$image" | tr -s ' \n' ' ') ;;
  esac
  case $said in
    *"$wanted_text"*) [ "$wanted_text" ] ;;
    *) false ;;
  esac || { echo "$said"; return 1; }
}
# agrees IMAGE: the doctor finds nothing.
agrees() {
  ! "$top/$BUILD/bareprof" doctor "$1" | grep -A 3 '^[enw][a-z]* *D'
}
# put_heap IMAGE REGIONS: adds what the doctor of that image asks for, at once.
put_heap() {
  "$BUILD/bareprof" doctor "$1" | tr -s ' \n' ' ' |
    sed -n "s/.*D023 .* put \`\([^']*;\)' into regions.ld.*/\1/p" >>"$2"
}
# second_link LINKER SHAPE: links with the table's lines.
second_link() {
  table_regions >"$shapes_out/regions.ld"
  script=$HERE/shapes/$2.ld
  [ "$1" = gnu ] || for_lld "$2"
  shape_link "$1" "$2" "$insert"
  said=$(echo "$said" | grep -v 'lma .* adjusted')
  [ -z "$said" ] || { echo "$said"; return 1; }
  put_heap "$image" "$shapes_out/regions.ld"
  shape_link "$1" "$2" "$insert"
  agrees "$image"
}
# init_link LINKER SHAPE: with what init writes, its line for this linker links.
# What the table leaves to the user is said by --heap. for-lld.awk stands there
# for the scripts that it changes. The project's folder has a blank in its name.
init_link() {
  mkdir -p "$shapes_out/a project" &&
    cp "$HERE/shapes/$2.ld" "$shapes_out/a project" || return 1
  set -- "$1" "a project/$2.ld"
  case $heaps in checked) way=limited ;; *) way=open ;; esac
  (
    cd "$shapes_out" &&
      at/bin/bareprof init "$2" --heap $way --force --llvm 22 -o 'a project' \
        --target thumbv7m-none-eabi >lines || exit 1
    awk -f "$top/linker-scripts/for-lld.awk" "$2" | cmp -s - "$2"
    [ $? = "$(grep -c '^  awk ' lines)" ] ||
      { grep awk lines || echo "no line of for-lld.awk"; exit 1; }
    case $1 in gnu) program=arm-none-eabi-ld ;; *) program=ld.lld-22 ;; esac
    line=$(grep -e '^  awk ' -e "^  $program " lines |
      sed "s/dump.o //; s/fw.elf/init.elf/; s/^  ld.lld-22/ld.$1/")
    rm -f init.elf
    said=$(OBJECTS=$(echo [a-z]*.o) && eval "$line" 2>&1 |
      grep -v 'lma .* adjusted')
    [ -z "$said" ] || { echo "$said"; exit 1; }
    agrees init.elf
  )
}
shape_report() {
  "$BUILD/bareprof" run "$image" -o "$shapes_out/report" --timeout 20 -- \
    qemu-system-arm -machine mps2-an385 -nographic -monitor none \
    -kernel "$image" >"$shapes_out/table" 2>&1
  grep -q '^thermostat.c  *50.00    1   72.73    3' "$shapes_out/table" ||
    { tail -n 3 "$shapes_out/table"; return 1; }
}

shape_objects() {
  mkdir -p "$shapes_out" && $MAKE -s -j "$JOBS" lib tool &&
    install_for_init "$shapes_out/at" thumbv7m-none-eabi &&
    for file in main mps2-an385 libc thermostat; do
      measured="$COVERAGE -fcoverage-mcdc"
      [ $file = thermostat ] || measured=
      clang-22 --target=thumbv7m-none-eabi -O1 -g -ffreestanding \
        -ffunction-sections -Iinclude -I$start $measured -c $start/$file.c \
        -o "$shapes_out/$file.o" || return 1
    done
}

# one_shape SHAPE LINKER: makes a script of this shape, and checks its links.
one_shape() {
  shape "$1"
  check "link $2 shape $1: README's line, or a message of the table" \
    first_link "$2" "$1"
  check "link $2 shape $1: with the table's lines, the doctor agrees" \
    second_link "$2" "$1"
  check "link $2 shape $1: with what init writes, the doctor agrees" \
    init_link "$2" "$1"
  case ${FULL:-}-$1 in
    -phdrs | -at-symbol | -stack-at-end | 1-*)
      [ ! -f "$image" ] || ! have qemu-system-arm ||
        check "link $2 shape $1: the report is right" shape_report ;;
  esac
}

shapes() {
  shape_objects >"$OUT/shapes.log" 2>&1 ||
    { not_ok "link shapes: objects" "$(tail -n 2 "$OUT/shapes.log")"; return; }
  for file in "$HERE"/shapes/*.ld; do
    name=$(basename "$file" .ld)
    shape "$name"
    check "link shape $name: its lines are in docs/how-to/linker-errors" in_docs
    if [ "$name" != for-gnu-ld ]; then
      for_lld "$name"
      check "link shape $name: for-lld.awk leaves it" cmp "$file" "$script"
    fi
    for linker in lld-22 gnu ${FULL:+lld-14 lld-19}; do
      case $linker in gnu) program=arm-none-eabi-ld ;; *) program=ld.$linker ;;
      esac
      ! have $program || one_shape "$name" $linker
    done
  done
}
