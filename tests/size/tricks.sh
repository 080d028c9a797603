# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Checks that each trick of tests/size/tricks still saves 16 bytes somewhere.
# `run` sources this file.

tricks=$out/tricks

# Prints the files of a module, and writes its sources without a trick.
files_of_room() {
  case $1 in
    writer) echo counters.c image_layout.c profraw_write.c ;;
    sampler) echo sampler.h sampler_store.c ;;
    wire) echo wire.h wire_frame.c wire_dump.c ;;
    *) (cd runtime && echo "$1"*.[ch]) ;;
  esac
}
emptied='__asm__( volatile)?\("" : "\+r"|BAREPROF_KEEP'
barrier="/define/!s/^( *)($emptied)\([^;]*;/\1;/"
noinline='/define/!s/BAREPROF_NOINLINE //'

# Copies the tree, with a copy of runtime/ that may change, and its archives.
copy_tree() {
  mkdir -p "$tricks/build"
  for entry in "$PWD"/*; do
    case $entry in
      */runtime | */build) ;;
      *) ln -sfn "$entry" "$tricks/" ;;
    esac
  done
  cp -R runtime "$tricks/"
}
lib_of_copy() {
  (cd "$tricks" && $MAKE -s lib LLVM=22 TARGET="$1" BUILD=build >&2)
}

# row_of_copy TARGET FEATURE: prints the row's text size with the copy's
# archive.
row_of_copy() {
  for feature in none "$2"; do
    program "$1" "$feature" && $(linker_of text "$1") --gc-sections \
      -T $here/size.ld "$program" "$tricks/build/llvm-22/$1/libbareprof.a" \
      -o "$tricks/row.elf" || return
    llvm-size-22 "$tricks/row.elf" | awk 'NR == 2 { print $1 }'
  done | awk 'NR == 1 { none = $1 } NR == 2 { print $1 - none }'
}

# saves ROOM TRICK ROW: the trick saves 16 bytes or more, on one of three
# targets.
saves() {
  said=
  for target in thumbv6m-none-eabi thumbv7m-none-eabi riscv32-none-elf; do
    copy_tree && lib_of_copy $target && with=$(row_of_copy $target "$3") ||
      return
    for file in $(files_of_room "$1"); do
      case $2 in barrier) edit=$barrier ;; *) edit=$noinline ;; esac
      sed -i -E "$edit" "$tricks/runtime/$file" || return
    done
    lib_of_copy $target && without=$(row_of_copy $target "$3") || return
    said="$said $((without - with))"
    [ $((without - with)) -lt 16 ] || return 0
  done
  echo "it saves$said bytes only: take it out"
  return 1
}

grep -v '^#' $here/tricks | while read -r room trick row _; do
  [ -n "$room" ] || continue
  check "size trick: $trick in $room saves 16 bytes of $row" \
    saves "$room" "$trick" "$row"
done
