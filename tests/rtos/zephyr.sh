# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests the Zephyr module. `run` sources this file.

# configured OPTION...: configures the module in the stand-in. Uses one folder,
# so that the runtime is compiled once.
configured() {
  cmake -G Ninja -S "$here/zephyr" -B "$out/zephyr" -DSTART="$start" \
    -DCMAKE_TOOLCHAIN_FILE="$top/tests/install/cmake/toolchain.cmake" \
    -DBAREPROF="$top" -DLINKER=lld -DRELEASE=22 "$@" >"$out/zephyr.log" 2>&1
}
# standing_in OPTION[=VALUE]...: builds the stand-in with only these
# CONFIG_BAREPROF_... options.
standing_in() {
  flags=
  for option in APPLICATION ALL LEAN MCDC NARROW DUMP_AT_EXIT REQUESTS \
    LIBRARIES; do
    flags="$flags -DCONFIG_BAREPROF_$option="
  done
  for option; do
    case $option in *=*) ;; *) option=$option=1 ;; esac
    flags="$flags -DCONFIG_BAREPROF_$option"
  done
  # shellcheck disable=SC2086 # Several flags.
  configured -DCONFIG_BAREPROF=1 $flags &&
    cmake --build "$out/zephyr" >>"$out/zephyr.log" 2>&1 ||
    { tail -n 4 "$out/zephyr.log"; return 1; }
}
clean() {
  bareprof doctor "$1" >"$out/doctor" &&
    grep -q 'no problems found' "$out/doctor" ||
    { cat "$out/doctor"; return 1; }
}
# reports FOLDER: prints the output of its target bareprof-report.
reports() {
  ninja -C "$1" bareprof-report >"$out/report" 2>&1 &&
    grep -q "$thermostat" "$out/report" ||
    { tail -n 4 "$out/report"; return 1; }
}
zephyr=$out/zephyr/zephyr.elf
in_segments() {
  llvm-readelf-22 -S "$zephyr" | awk '$2 == "__llvm_prf_data" ||
    $3 == "__llvm_prf_data" { print / A / || / WA / ? "yes" : "no" }'
}

application() {
  check "zephyr application: builds" standing_in APPLICATION MCDC DUMP_AT_EXIT
  check "zephyr application: doctor finds nothing" clean "$zephyr"
  check "zephyr application: bareprof-report" reports "$out/zephyr"
  check "zephyr application: the log goes on among the profile" \
    among beat "$out/zephyr/bareprof-report/console.log"
  equal "zephyr application: full" yes "$(in_segments)"
  equal "zephyr application: the kernel is not measured" 0 \
    "$(grep -c 'kernel.c' "$out/report")"
}

# Requests a dump, and joins it with the ELF.
requested() {
  timeout 30 bareprof receive --port "$device" --request -q \
    -o "$out/$1.bpdump" &&
    bareprof join "$zephyr" "$out/$1.bpdump" -o "$out/$1.profraw"
}
# Start-up code counts, too: z_prep_c calls z_cstart, which calls main.
everything() {
  check "zephyr all: builds, lean, narrow" \
    standing_in ALL MCDC LEAN NARROW REQUESTS
  on_pty qemu-system-arm -machine mps2-an385 -display none -monitor none \
    -kernel "$zephyr"
  check "zephyr all: a dump on request" requested all
  check "zephyr all: another one" requested all-2
  { kill "$qemu"; wait "$qemu"; } 2>/dev/null
  equal "zephyr all: z_prep_c is counted" "1 []" \
    "$(counts "$out/all.profraw" z_prep_c)"
  equal "zephyr all: thermostat_step is counted" 8 \
    "$(counts "$out/all.profraw" thermostat_step | cut -d ' ' -f 1)"
  equal "zephyr all: the second is of the same start" "1 []" \
    "$(counts "$out/all-2.profraw" z_prep_c)"
  equal "zephyr all: lean" no "$(in_segments)"
  llvm-readelf-22 -p .bareprof.counters "$zephyr" >"$out/widths"
  check "zephyr all: the kernel's counters are narrow" \
    grep -q '32-atomic 0 .*kernel.c' "$out/widths"
  equal "zephyr all: nothing else has counters" 0 \
    "$(grep -c 'console.c\|requests.c\|runtime/' "$out/widths")"
}

# Libraries by name.
named() {
  check "zephyr libraries: builds" standing_in LEAN LIBRARIES=kernel \
    DUMP_AT_EXIT
  llvm-nm-22 "$zephyr" >"$out/symbols"
  check "zephyr libraries: the kernel counts" \
    grep -q '__profc_printk' "$out/symbols"
  equal "zephyr libraries: the application does not" 0 \
    "$(grep -c '__profc_.*thermostat_step' "$out/symbols")"
}
# What is refused.
not_there() {
  equal "zephyr: no library of a name" \
    "bareprof: there is no library kernl;" "$(
      configured -DCONFIG_BAREPROF=1 -DCONFIG_BAREPROF_ALL= \
        -DCONFIG_BAREPROF_LIBRARIES=kernl
      sed -n 's/^ *\(bareprof: .*kernl;\).*/\1/p' "$out/zephyr.log")"
}

not_clang() {
  ! cmake -G Ninja -S "$here/zephyr" -B "$out/gcc" -DSTART="$start" \
    -DBAREPROF="$top" -DCONFIG_BAREPROF=1 -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_SYSTEM_NAME=Generic >"$out/gcc.log" 2>&1 &&
    tr -s ' \n' ' ' <"$out/gcc.log" | grep -q 'bareprof: the compiler is GNU, '`
      `'and profiles need clang; set ZEPHYR_TOOLCHAIN_VARIANT=llvm'
}

# ---- the real one ----

# real LLVM [OPTION...]: builds examples/zephyr for qemu_cortex_m3, in $built.
real() {
  release=$1
  shift
  [ -d "$out/rt" ] ||
    "$top/examples/zephyr/builtins" clang-22 cortex-m3 "$out/rt" || return 1
  {
    ZEPHYR_TOOLCHAIN_VARIANT=llvm cmake -G Ninja -S "$top/examples/zephyr" \
      -B "$built" -DBOARD=qemu_cortex_m3 -DPython3_EXECUTABLE=/usr/bin/python3 \
      -DEXTRA_ZEPHYR_MODULES="$top" -DEXTRA_LDFLAGS="-L$out/rt" \
      -DLLVM_TOOLCHAIN_PATH="/usr/lib/llvm-$release" "$@" && ninja -C "$built"
  } >"$out/real.log" 2>&1 || { tail -n 4 "$out/real.log"; return 1; }
}
real_zephyr() {
  if [ -z "${ZEPHYR_BASE:-}" ]; then
    skip "zephyr 4" "ZEPHYR_BASE is not set"
    return
  fi
  for version in 19 22; do
    has="zephyr 4 llvm-$version"
    needs "$has" llvm:$version /usr/bin/dtc arm-none-eabi-gcc || continue
    built=$out/zephyr-$version
    check "$has: builds" real $version
    check "$has: doctor finds nothing" clean "$built/zephyr/zephyr.elf"
    check "$has: bareprof-report" reports "$built"
    built=$out/zephyr-all-$version
    check "$has all: builds" real $version -DCONFIG_BAREPROF_ALL=y
    check "$has all: doctor finds nothing" clean "$built/zephyr/zephyr.elf"
    check "$has all: bareprof-report" reports "$built"
    check "$has all: the log goes on among the profile" \
      among beat "$built/bareprof-report/console.log"
    equal "$has all: z_prep_c is counted" "1 []" \
      "$(counts "$built/bareprof-report/zephyr.profraw" z_prep_c)"
  done
}

if [ -z "$(lacks cmake ninja)" ]; then
  group "zephyr application" application
  group "zephyr all" everything
  if [ -n "${FULL:-}" ]; then
    group "zephyr libraries" named
    group "zephyr: no library of a name" not_there
  fi
  wanted "zephyr: gcc is refused" &&
    check "zephyr: gcc is refused" not_clang
else
  skip "zephyr" "no cmake, or no ninja"
fi
[ -z "${FULL:-}" ] || group "zephyr 4" real_zephyr
