# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Objects that count with 32 bits, made by hand of clang's own IR: a few lines
# of awk, so that these tests do not depend on how the tool makes such objects.
# Sourced after lib.sh.

# narrow WIDTH LLVM FLAGS SOURCE OBJECT: compiles a source, whose flags have
# those of the profile. WIDTH is 32, or 32-atomic. LEFT=N: the object says that
# N increments are as they were (default: 0).
narrow() {
  narrow_clang="clang-$2 $3 -Wno-everything"
  # shellcheck disable=SC2086 # Several flags.
  $narrow_clang -Xclang -disable-llvm-passes -S -emit-llvm "$4" -o "$5.1.ll" &&
    $narrow_clang -O0 -fprofile-instr-generate -fprofile-update=atomic \
      -fno-coverage-mapping -x ir -S -emit-llvm "$5.1.ll" -o "$5.2.ll" &&
    narrow_ir "$1" "$2" "${LEFT:-0} ${4##*/}" <"$5.2.ll" >"$5.3.ll" &&
    $narrow_clang -fno-profile-instr-generate -fno-coverage-mapping \
      -x ir -c "$5.3.ll" -o "$5"
}

# The compiler's flags of a board.
board_flags() {
  sed -n 's/^BOARD_TARGET := /--target=/p; s/^BOARD_FLAGS := //p
    s/^BOARD_CPU := \(.\)/-mcpu=\1/p' "targets/$1/board.mk" | tr '\n' ' '
}

# narrow_ir WIDTH LLVM "LEFT SOURCE": rewrites IR.
narrow_ir() {
  awk -v width="$1" -v llvm="$2" -v about="$3" '
    function low(place) {
      if (llvm < 15)
        place = "i32* bitcast (" place " to i32*)"
      if (big && llvm < 15)
        return "i32* getelementptr (i32, " place ", i32 1)"
      return big ? "ptr getelementptr (i8, " place ", i32 4)" : place
    }
    /^target datalayout = "E/ { big = 1 }
    /atomicrmw add .*@__profc_.*, i64 1 monotonic/ {
      place = $0
      sub(/.*atomicrmw add /, "", place)
      sub(/, i64 1 monotonic.*/, "", place)
      place = low(place)
      if (width == "32-atomic") {
        print "  " $1 " = atomicrmw add " place ", i32 1 monotonic, align 4"
      } else {
        number++
        print "  %narrow.a" number " = load i32, " place ", align 4"
        print "  %narrow.b" number " = add i32 %narrow.a" number ", 1"
        print "  store i32 %narrow.b" number ", " place ", align 4"
        # The numbers of the others stay as they are.
        print "  " $1 " = add i32 %narrow.a" number ", 0"
      }
      next
    }
    { print }
    function symbol(name) {
      print "$" name " = comdat any"
      print "@" name " = weak_odr hidden constant i8 1, comdat"
      used = used (used ? ", " : "") (llvm < 15 ? "i8* @" : "ptr @") name
    }
    END {
      print "module asm \"\\09.section .bareprof.counters,\\22\\22,%progbits\""
      print "module asm \"\\09.asciz \\22" width " " about "\\22\""
      symbol("bareprof_counters_32")
      if (width == "32" || about !~ /^0 /)
        symbol("bareprof_counters_loose")
    }'
}
