# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The members that a program gets depend neither on the linker nor on the order
# of the archive: tests/size/run sources this file, and links each set of
# features with the archive as it is and with its members reversed.

# Like link_size, but prints the linked members. Without --gc-sections, since
# all linked code counts.
members_of() {
  linker=$(linker_of "$1" "$2") archive=$3
  shift 3
  case $linker in ld.lld*) trace=-t ;; *) trace="-t -t" ;; esac
  # RISC-V relaxation depends on the layout.
  case $archive in *riscv*) trace="$trace --no-relax" ;; esac
  $linker $trace -T $here/size.ld "$@" "$archive" -o "$out/order.elf" |
    sed -n 's/.*\.a[()]*\([a-z_0-9]*\.[cS]\.o\))*$/\1/p' | sort -u | one_line
}

# Makes $out/TARGET.a, a target's archive with its members reversed.
reverse() {
  rm -f "$out/$1.a"
  llvm-ar-22 t "$BUILD/llvm-22/$1/libbareprof.a" | tac |
    sed "s|^|$BUILD/llvm-22/$1/obj/|" >"$out/members"
  # Uses only names, since subfolders are deeper.
  while read -r member; do
    find "$BUILD/llvm-22/$1/obj" -name "${member##*/}"
  done <"$out/members" | xargs llvm-ar-22 rcs "$out/$1.a"
}

# Prints the flags of a program: a feature of run, or symbols of -u.
asked_of() {
  case $1 in
    preinit) echo -u bareprof_preinit ;;
    preinit-retain) echo -u bareprof_preinit -u bareprof_retained ;;
    preinit-values) echo -u bareprof_preinit \
      -u __llvm_profile_instrument_target ;;
  esac
}

# same_members TARGET PROGRAM: both linkers and both orders link the same
# members, with the same size.
same_members() {
  program "$1" "$2" || return 1
  first=
  for linked in text gnu; do
    for archive in "$BUILD/llvm-22/$1/libbareprof.a" "$out/$1.a"; do
      found=$(members_of $linked "$1" "$archive" "$program" \
        $(asked_of "$2"))
      [ -n "$found" ] || { echo "$linked $archive: nothing"; return 1; }
      [ "${first:=$found}" = "$found" ] ||
        { echo "$first; $linked ${archive##*/}: $found"; return 1; }
      llvm-nm-22 -S "$out/order.elf" |
        awk 'NF == 4 && $2 !~ /^0*$/ {print $4, $2}' | sort \
        >"$out/order.$linked.${archive##*/}"
    done
  done
  for other in "text.$1" gnu.libbareprof "gnu.$1"; do
    cmp "$out/order.text.libbareprof.a" "$out/order.$other.a" || return 1
  done
}

orders() {
  programs="dump send-any link mip-edges sampler-chain preinit-retain"
  [ -z "${FULL:-}" ] ||
    programs="$features preinit preinit-retain preinit-values"
  for target in thumbv6m-none-eabi thumbv7m-none-eabi riscv32-none-elf; do
    reverse $target
    for program in $programs; do
      check "size order $target $program: one set of members, of one size" \
        same_members $target "$program"
    done
  done
}

# Without --gc-sections a program has only the members that it calls.
whole() {
  program "$1" dump && archive=$BUILD/llvm-22/$1/libbareprof.a &&
    members_of text "$1" "$archive" "$program" | tr ' ' '\n' |
    grep -v -e '^abi_version.c.o$' -e '^$' | sort | tr '\n' ' '
}
called() {
  equal "size members: init, reset, write without --gc-sections" \
    "counters.c.o image_layout.c.o image_sections.c.o profraw_write.c.o " \
    "$(whole thumbv7m-none-eabi)"
}
