# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Mistakes with `bareprof cc`. `run` sources this file.

# cc_says STATUS TEXT WORD...: bareprof cc prints one line with TEXT, in a
# folder with a.c. TEXT is also `none', or `plain' for an object without
# counters.
cc_says() {
  status=$1 text=$2
  shift 2
  (cd "$out/cc" && rm -f a.o && "$cc_tool" cc "$@" >stdout 2>stderr)
  got=$?
  [ $got = "$status" ] || { echo "status $got"; cat "$out/cc/stderr"; return 1; }
  says "$out/cc/stderr" "$text" || return 1
  [ "$(wc -l <"$out/cc/stderr")" = 1 ] || { cat "$out/cc/stderr"; return 1; }
  [ "$status" = 0 ] || [ ! -e "$out/cc/a.o" ]
}

# cc_counts WORD...: compiles without a message, and the object has counters.
cc_counts() {
  (cd "$out/cc" && rm -f a.o && "$cc_tool" cc "$@" 2>&1) >"$out/cc/said" &&
    [ ! -s "$out/cc/said" ] || { cat "$out/cc/said"; return 1; }
  llvm-readelf-22 -SW "$out/cc/a.o" | grep -q '\.bss\.bareprof_c'
}

compilers() {
  mkdir -p "$out/cc"
  cc_tool=$(realpath "$TOOL")
  echo 'int g(int); int a(int x, int y) { return x && g(x && y); }' \
    >"$out/cc/a.c"
  cc_flags="--target=thumbv7m-none-eabi -ffreestanding"
  # shellcheck disable=SC2086 # Several flags.
  set -- clang-22 $cc_flags -c a.c -o a.o
  check "mistakes cc: --coverage mcdc" cc_says 2 \
    "--coverage needs = before its value" --coverage mcdc "$@"
  for pattern in 'src/*.c' '*.c' 'src/**/*.c'; do
    check "mistakes cc: a glob, $pattern" cc_says 2 "write, for example, 'src/.*\.c'" \
      --coverage --include "$pattern" "$@"
    check "mistakes cc: a glob to leave, $pattern" cc_says 2 \
      "write, for example, 'src/.*\.c'" --coverage --ignore "$pattern" "$@"
  done
  check "mistakes cc: a pattern that is no glob" cc_counts --coverage \
    --include '.*\.c' "$@"
  for word in --counters=byte --coverage=mcdc --place=bss --ignore --mcdc=bits; do
    check "mistakes cc: $word behind the compiler" cc_says 2 \
      "this option is for bareprof; write the option before clang-22" "$@" $word
  done
  check "mistakes cc: gcov's --coverage" cc_says 0 \
    "this option after clang-22 is the gcov option of the compiler; write" "$@" --coverage
  for cache in ccache sccache distcc icecc "ccache distcc"; do
    # shellcheck disable=SC2086 # Several programs.
    check "mistakes cc: $cache behind it" cc_counts --coverage $cache "$@"
  done
  check "mistakes cc: a program that is no compiler" cc_says 1 \
    "this compiler does not list its jobs (-###), so nothing would be measured" \
    --coverage true -c a.c -o a.o
  printf '#!/bin/sh\necho " \\"odd\\" line" >&2\n' >"$out/odd-clang"
  chmod +x "$out/odd-clang"
  check "mistakes cc: a compiler with an odd list of jobs" cc_says 1 \
    "cannot be read, so nothing would be measured; pass clang itself" \
    --coverage "$(realpath "$out/odd-clang")" -c a.c -o a.o
  printf '#!/bin/sh\ncase $1 in -*) exit 1 ;; esac\nexec "$@"\n' \
    >"$out/distributes"
  chmod +x "$out/distributes"
  # shellcheck disable=SC2086 # Several flags.
  check "mistakes cc: an unknown distributor" cc_says 1 \
    "this compiler fails with -###, so its counters cannot be placed" \
    --place=bss "$(realpath "$out/distributes")" clang-22 \
    -fprofile-instr-generate $cc_flags -c a.c -o a.o
  if needs "mistakes cc 14" llvm:14; then
    # shellcheck disable=SC2086 # Several flags.
    check "mistakes cc: MC/DC of an old release" cc_says 1 \
      "this clang has no MC/DC; use clang 18 or later" --coverage=mcdc clang-14 $cc_flags \
      -c a.c -o a.o
  fi
  echo "-c a.c -o a.o" >"$out/cc/response"
  check "mistakes cc: gcc with a response file" cc_says 1 \
    "gcc writes its coverage to files" --coverage gcc @response
  echo '-"c" "a.c" -o a.o' >"$out/cc/quoted"
  check "mistakes cc: gcc with quotes in a response file" cc_says 1 \
    "gcc writes its coverage to files" --coverage gcc @quoted
  check "mistakes cc: gcc that also links" cc_says 1 \
    "gcc writes its coverage to files" --coverage gcc a.c -o a.o
  check "mistakes cc: clang in another folder" cc_says 1 \
    "change to the folder of this option" --coverage "$@" -working-directory .
  echo nop >"$out/cc/plain.s"
  check "mistakes cc: -Werror and a file in assembly" "$cc_tool" cc --coverage \
    clang-22 --target=thumbv7m-none-eabi -Werror -c "$out/cc/plain.s" \
    -o "$out/cc/plain.o"
  check "mistakes cc: no pass that adds counters" cc_says 1 \
    "nothing would be measured; compile without this option" --coverage "$@" \
    -Xclang -disable-llvm-passes
  for target in x86_64-pc-windows-msvc msp430-none-elf; do
    check "mistakes cc: target $target" cc_says 1 \
      "compile for such a target, for example --target=thumbv7m-none-eabi" \
      --coverage clang-22 --target=$target -ffreestanding -c a.c -o a.o
  done
  if needs "mistakes cc: GNU as" arm-none-eabi-as; then
    check "mistakes cc: GNU as" cc_counts --coverage clang-22 \
      --target=arm-none-eabi -mcpu=cortex-m3 -ffreestanding -fno-integrated-as \
      -c a.c -o a.o
  fi
  check "mistakes cc: a precompiled header and byte counters" cc_precompiled \
    "$@"
  check "mistakes cc: an object to standard output" cc_says 1 \
    "add -o FILE" --coverage clang-22 $cc_flags -c a.c -o -
  check "mistakes cc: an object to /dev/stdout" cc_says 1 \
    "add -o FILE" --coverage clang-22 $cc_flags -c a.c -o /dev/stdout
  check "mistakes cc: -Werror and decisions that clang leaves out" \
    cc_left_out "$@" -Werror
  check "mistakes cc: the user's own -Werror=pgo-coverage" \
    eval '! cc_left_out "$@" -Werror=pgo-coverage >/dev/null'
  check "mistakes cc: an image that does not fit" cc_overflows
}

# The header and the source are compiled for the same features.
cc_precompiled() {
  echo 'int g(int);' >"$out/cc/a.h"
  # shellcheck disable=SC2086 # Several flags.
  (cd "$out/cc" && rm -f a.o &&
    "$cc_tool" cc --coverage --counters=byte clang-22 $cc_flags -x c-header \
      a.h -o a.pch && "$cc_tool" cc --coverage --counters=byte "$@" \
      -include-pch a.pch && [ -s a.o ])
}

# A part without MC/DC is a warning, not an error.
cc_left_out() {
  (cd "$out/cc" && rm -f a.o && "$cc_tool" cc --coverage=mcdc "$@") \
    >"$out/cc/said" 2>&1 && grep -q "warning: unsupported MC/DC" "$out/cc/said" &&
    ! grep -q error: "$out/cc/said" && [ -s "$out/cc/a.o" ] ||
    { cat "$out/cc/said"; return 1; }
}

# The hint comes once, after the linker's messages, with clang and gcc as the
# driver.
cc_overflows() {
  printf 'MEMORY { RAM (rwx) : ORIGIN = 0, LENGTH = 16 }\n%s\n' \
    'SECTIONS { .all : { *(.text* .rodata* .bss*) } >RAM }' >"$out/cc/small.ld"
  cc_counts --coverage clang-22 $cc_flags -c a.c -o a.o || return 1
  for driver in "clang-22 $cc_flags -fuse-ld=lld-22" "arm-none-eabi-gcc -mcpu=cortex-m3"; do
    have "${driver%% *}" || continue
    # shellcheck disable=SC2086 # A command with its flags.
    (cd "$out/cc" && "$cc_tool" cc --coverage $driver -nostdlib -Wl,--defsym=g=0 \
      -Wl,-T,small.ld a.o -o fw.elf 2>stderr) && return 1
    [ "$(grep -c "bareprof: smaller counters save memory" "$out/cc/stderr")" = 1 ] &&
      tail -n 1 "$out/cc/stderr" | grep -q ^bareprof ||
      { cat "$out/cc/stderr"; return 1; }
  done
}
