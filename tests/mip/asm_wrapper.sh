# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Calls bareprof-mip-cc as builds call a compiler, and tests the commands that
# it passes on. asm.sh sources this file.
# shellcheck disable=SC2086 # Several flags.

folder=$asm_out/wrapper
rm -rf "$folder"
mkdir -p "$folder/tmp"
cat >"$folder/one.c" <<'EOF'
#include "one.h"
int one(int a) { return a + NUMBER; }
EOF
echo 'int two(int a) { return a * 2; }' >"$folder/two.c"
echo '#define NUMBER 1' >"$folder/one.h"
echo 'int one(int), two(int); int main(void) { return one(two(3)); }' \
  >"$folder/main.c"
echo '.globl byhand
byhand: bx lr' >"$folder/byhand.s"
# A Cortex-M's vectors; what main returns is QEMU's exit status.
cat >"$folder/start.s" <<'EOF'
  .syntax unified
  .section .vectors, "a"
  .word 0x20010000, reset
  .text
  .thumb_func
reset:
  bl main
  ldr r2, =0x20026 @ ADP_Stopped_ApplicationExit
  push {r0}
  push {r2}
  mov r1, sp
  movs r0, #0x20 @ SYS_EXIT_EXTENDED
  bkpt 0xab
  b .
EOF
asm_gcc=$(mip_compiler mps2-an385 gcc)

# wrapped ARGUMENT...: runs the wrapper in $folder, with temporary files in tmp.
wrapped() {
  (cd "$folder" && TMPDIR=tmp BAREPROF=$asm_tool "$asm_wrapper" "$@")
}
asm_tool=$(cd "$(dirname "$BAREPROF")" && pwd)/$(basename "$BAREPROF")

instrumented() { "llvm-nm-$LLVM_HOST" "$folder/$1" | grep -q "$2\$RAW"; }

# The file of dependencies equals the compiler's own.
wrapped_depends() {
  (cd "$folder" && $asm_gcc "$@" && cp "$asm_dependency" expected) &&
    rm -f "$folder/$asm_dependency" && wrapped $asm_gcc "$@" &&
    cmp "$folder/expected" "$folder/$asm_dependency"
}

wrapped_objects() {
  (cd "$folder" && rm -f ./*.o) && wrapped $asm_gcc -O2 -c one.c two.c &&
    instrumented one.o one && instrumented two.o two
}
wrapped_quoted() {
  mkdir -p "$folder/a b" && cp "$folder/one.c" "$folder/a b/it's.c" &&
    wrapped $asm_gcc -I. "-DX=\"a b\"" -c "a b/it's.c" -o "a b/o.o" &&
    instrumented "a b/o.o" one
}
wrapped_assembly() {
  wrapped $asm_gcc -S two.c -o two.s && grep -q __llvm_mipraw "$folder/two.s" &&
    wrapped $asm_gcc -c byhand.s && ! instrumented byhand.o byhand
}
wrapped_link() {
  wrapped $asm_gcc -O1 -nostdlib start.s main.c one.c two.c \
    -Wl,--defsym,__bareprof_mip_begin=__start___llvm_mipraw \
    -Wl,--section-start=.vectors=0 -Wl,-Ttext=0x100 -Wl,-e,reset \
    -o program || return
  instrumented program two || return
  timeout 60 $(sed -n 's/^BOARD_QEMU := //p' targets/mps2-an385/board.mk) \
    -display none -semihosting -kernel "$folder/program" </dev/null
  [ $? -eq 7 ]
}
wrapped_stdin() {
  echo 'int piped(void) { return 3; }' |
    wrapped $asm_gcc -x c -c - -o piped.o && instrumented piped.o piped
}
wrapped_usage() {
  wrapped $asm_gcc -fstack-usage -O1 -c two.c -o usage.o &&
    grep -q two "$folder/usage.su"
}
# It fails as the compiler does, leaves nothing, and says why.
wrapped_error() {
  echo 'int broken(' >"$folder/broken.c"
  wrapped $asm_gcc -c broken.c 2>"$folder/errors"
  [ $? -eq 1 ] && grep -q broken.c "$folder/errors" &&
    [ ! -e "$folder/broken.o" ] || return
  BAREPROF_MIP=wrong wrapped $asm_gcc -c two.c 2>"$folder/errors"
  [ $? -eq 2 ] && grep -q wrong "$folder/errors"
}
wrapped_through() {
  [ "$(wrapped $asm_gcc --version)" = "$($asm_gcc --version)" ] &&
    wrapped $asm_gcc -E two.c | grep -q 'int two' &&
    wrapped $asm_gcc -MM one.c | grep -q one.h &&
    BAREPROF_MIP=off wrapped $asm_gcc -c two.c -o off.o &&
    ! instrumented off.o two
}
# LTO compiles at the link, where no sled gets in: an object without counts may
# not look like one with them.
wrapped_lto() {
  for asm_lto in -flto -flto=thin; do
    rm -f "$folder/lto.o"
    wrapped $asm_gcc $asm_lto -c two.c -o lto.o 2>"$folder/errors"
    [ $? -eq 2 ] && [ ! -e "$folder/lto.o" ] &&
      [ "$(grep -c "with $asm_lto there is no assembly" \
        "$folder/errors")" = 1 ] || { cat "$folder/errors"; return 1; }
  done
  wrapped $asm_gcc -flto -fno-lto -c two.c -o lto.o && instrumented lto.o two &&
    wrapped $asm_gcc -flto one.o two.o -r -o linked.o &&
    BAREPROF_MIP=off wrapped $asm_gcc -flto -c two.c -o lto.o
}
# Options in a file may say anything, such as -flto.
wrapped_file() {
  echo -flto >"$folder/options"
  for asm_file in "-c two.c" "-c -o two.o" "two.c main.c"; do
    rm -f "$folder/two.o"
    wrapped $asm_gcc @options $asm_file 2>"$folder/errors"
    [ $? -eq 2 ] && [ ! -e "$folder/two.o" ] &&
      grep -q "the options in @options are not read; " "$folder/errors" || {
      cat "$folder/errors"
      return 1
    }
  done
  echo two.o >"$folder/options"
  wrapped $asm_gcc -c two.c && wrapped $asm_gcc -r @options -o linked.o
}
# llvm-link makes one module of bitcode, instead of LTO.
wrapped_bitcode() {
  asm_arm="clang-$LLVM_HOST --target=thumbv7m-none-eabi -Os"
  wrapped $asm_arm -emit-llvm -c one.c -o one.bc &&
    wrapped $asm_arm -emit-llvm -c two.c -o two.bc &&
    (cd "$folder" && "llvm-link-$LLVM_HOST" one.bc two.bc -o both.bc) &&
    wrapped $asm_arm -c both.bc -o both.o && instrumented both.o one &&
    instrumented both.o two
}
wrapped_clean() { [ -z "$(ls "$folder/tmp")" ] || ls "$folder/tmp"; }

# Two kinds of objects have another layout: the linker must refuse them.
wrapped_kinds() {
  BAREPROF_MIP=blocks wrapped $asm_gcc -c one.c &&
    wrapped $asm_gcc -c two.c main.c &&
    ! (cd "$folder" && $asm_gcc -nostdlib one.o two.o main.o \
      -Wl,--defsym,__bareprof_mip_begin=__start___llvm_mipraw -o kinds \
      2>errors) && grep -q objects_of_two_kinds "$folder/errors"
}

if needs "mip cc" board:mps2-an385 "${asm_gcc%% *}"; then
  check "mip cc: several files, no -o" wrapped_objects
  check "mip cc: blanks and quotes" wrapped_quoted
  for asm_dependency in one.d deep.d named.d; do
    case $asm_dependency in
      one.d) set -- -MD -c one.c ;;
      deep.d) set -- -MMD -MP -c one.c -o deep.o ;;
      *) set -- -MD -MF named.d -MT target.x -c one.c -o deep.o ;;
    esac
    check "mip cc: dependencies, $asm_dependency" wrapped_depends "$@"
  done
  check "mip cc: -S, and assembly as it is" wrapped_assembly
  check "mip cc: compiling and linking at once" wrapped_link
  check "mip cc: from standard input" wrapped_stdin
  check "mip cc: -fstack-usage beside the object" wrapped_usage
  check "mip cc: errors" wrapped_error
  check "mip cc: what goes through" wrapped_through
  check "mip cc: LTO is refused" wrapped_lto
  check "mip cc: options in a file are refused" wrapped_file
  check "mip cc: bitcode, in the place of LTO" wrapped_bitcode
  check "mip cc: objects of two kinds are refused" wrapped_kinds
  check "mip cc: no temporary file stays" wrapped_clean
fi
