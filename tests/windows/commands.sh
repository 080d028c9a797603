# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Commands that start other programs (report, run, cc), with the Linux and the
# Windows tool. Under wine, stand-ins run this machine's llvm-cov, clang, QEMU.
# `run` sources this file.

PROGRAMS=$OUT/programs

# Windows' programs by their names there.
stand_ins() {
  mkdir -p "$PROGRAMS" && cp tests/windows/stand-in "$PROGRAMS/" &&
    $HOST-gcc -std=c11 -Wall -Wextra -Werror -Wno-format \
      tests/windows/stand-in.c -o "$PROGRAMS/clang.exe" || return 1
  for name in llvm-cov llvm-profdata llvm-cxxfilt qemu-system-arm \
    "clang-$LLVM_HOST"; do
    ln -f "$PROGRAMS/clang.exe" "$PROGRAMS/$name.exe" || return 1
  done
}

# command_inputs: makes firmware and its log, two programs of this machine and
# their profiles, and lists about them.
command_inputs() {
  rm -rf "$IN" && mkdir -p "$IN/src" || return
  $MAKE -s firmware BOARD=mps2-an385 LLVM=$LLVM_HOST OUT="$IN/fw" NAME=fw \
    SCRIPT=full SOURCES="tests/wire/work.c tests/report/decide.c \
      examples/coverage/monitor.c examples/coverage/nmea.c" \
    PLAIN="examples/coverage/stream.S tests/wire/console.c \
      tests/report/firmware.c" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc" \
    CFLAGS_APP="-O1 -g -Iexamples/coverage -Itests/wire" \
    LDFLAGS_APP="-u bareprof_preinit" &&
    SERIAL=file:fw.log targets/run mps2-an385 "$IN/fw/fw.elf" "$IN/fw" </dev/null &&
    cp "$IN/fw/fw.elf" "$IN/fw/fw.log" "$IN/" ||
    return
  printf '%s\n' 'int main(int count, char **list) {' \
    '  return count > 1 && list[1] ? 3 : 0;' '}' >"$IN/src/main.c"
  command_program here main.c &&
    command_program windows "$IN/src/main.c" \
      "-ffile-prefix-map=$IN/src/main=C:\\work\\main" || return
  printf '%s\r\n' 'path=*/monitor.c regex=alarm reason="not now" by=me' \
    'path=work.c function=work reason=w' >"$IN/rules"
  printf '%s\n' '--- a/examples/coverage/monitor.c' \
    '+++ b/examples/coverage/monitor.c' '@@ -100,3 +100,3 @@' \
    -1 +1 -2 +2 -3 +3 >"$IN/changes"
  printf '%s\r\n' '<testsuite><testcase name="3"><failure/></testcase>' \
    '</testsuite>' >"$IN/failed.xml"
  sed '/^dump 3/,$d' "$IN/fw.log" >"$IN/some.log"
  "$TOOL" report "$IN/fw.elf" "$IN/fw.log" -o "$IN/old" \
    --json "$IN/old.json" >"$IN/src/said" || return
  : >"$IN/nothing.log"
}

# command_program NAME SOURCE FLAGS...
command_program() {
  (
    cd "$IN/src" &&
      "clang-$LLVM_HOST" -g -fprofile-instr-generate -fcoverage-mapping "$2" \
        -Wl,--build-id ${3:+"$3"} -o "../$1.elf" &&
      LLVM_PROFILE_FILE=../$1.profraw "../$1.elf"
  )
}

# command_one SIDE NAME PROGRAM...: runs it in SIDE/NAME, with all its output.
command_one() {
  side=$OUT/commands/$1/$2
  shift 2
  mkdir -p "$side" && cp "$IN"/*.* "$IN/rules" "$IN/changes" "$side/" || return
  (
    cd "$side" || exit
    timeout 60 "$@" </dev/null >said 2>errors
    echo "status $?" >>said
    # The link has this folder in it; `linked` looks at all of it.
    sed -i 's|^Line by line: file:///.*/html/|Line by line: |' said
    find . -name evidence.json | xargs -r sed -i \
      's|"file":"[^"]*\(llvm-[a-z]*\)[^"]*","version"|\1|'
    # On Windows llvm-cov reads a copy with other names of files.
    rm -f bareprof-report/*.elf
    [ ! -f json ] || sed -i 's/"bareprof":{.*//' json
    [ ! -f xml ] || sed -i 's/ timestamp="[0-9]*"//; s,<source>.*,,' xml
  )
}

# both NAME ARGUMENT...: both tools leave the same outputs and files.
both() {
  both_name=$1
  shift
  both_linux=$OUT/commands/linux/$both_name
  both_wine=$OUT/commands/wine/$both_name
  rm -rf "$both_linux"
  command_one linux "$both_name" "$TOOL" "$@" || return
  # Under load wine may fail to start a program. The output shows it, and is
  # kept; up to three attempts are allowed.
  while :; do
    rm -rf "$both_wine"
    WINEPATH="Z:${PROGRAMS//\//\\}" STAND_IN=$PROGRAMS LLVM=$LLVM_HOST \
      command_one wine "$both_name" wine "$EXE" "$@" || return
    diff -r "$both_linux" "$both_wine" >"$OUT/both" && return 0
    cat "$OUT/both" >>"$OUT/attempts"
    echo "== $both_name" >>"$OUT/attempts"
    [ "$(grep -c '^== ' "$OUT/attempts")" -le 3 ] || break
  done
  head -8 "$OUT/both" | one_line
  return 1
}

# good_both STATUS NAME ARGUMENT...: and with this status.
good_both() {
  good_status=$1
  shift
  both "$@" && grep -qx "status $good_status" "$OUT/commands/wine/$1/said" ||
    { cat "$OUT/commands/wine/$1/said" "$OUT/commands/wine/$1/errors"
      return 1; }
}

# The link has Windows' form, and a terminal with colours gets them.
linked() {
  (cd "$IN" && wine "$EXE" report fw.elf fw.log -o linked) >"$OUT/linked" \
    2>/dev/null &&
    tr -d '\r' <"$OUT/linked" | grep -q \
      '^Line by line: file:///[A-Z]:/[^\\]*/linked/html/index.html$' ||
    { tail -n 1 "$OUT/linked"; return 1; }
  wine "$EXE" show none --color=always 2>&1 | grep -q \
    "$(printf '^\033\\[31mbareprof:\033\\[0m none: cannot be opened')"
}

command_report() {
  set -- report fw.elf fw.log
  check "windows report: the link, and colours" linked
  check "windows report: every output" good_both 0 report "$@" --uncovered \
    --lcov lcov --cobertura xml --sonarqube sonar --markdown markdown \
    --json json
  check "windows report: --diff" good_both 1 diff "$@" --diff changes \
    --fail-under patch=100
  check "windows report: --diff-format" good_both 0 github "$@" \
    --diff changes --diff-format github
  check "windows report: exclusions" good_both 0 exclusions "$@" \
    --exclusions rules --require-reasons
  check "windows report: exclusions that ran" good_both 1 ran "$@" \
    --exclusions rules --fail-on stale,ran
  check "windows report: tests" good_both 0 tests "$@" --tests \
    --which 'wire/work.c:25'
  check "windows report: a test that failed" good_both 0 failed "$@" \
    --test-pattern '^dump ([0-9])' --junit failed.xml
  check "windows report: what was lost" good_both 1 against report fw.elf \
    some.log --against old.json --fail-on lost --json json
  check "windows report: some files" good_both 0 filter "$@" --ignore nmea \
    --include 'coverage|work' --root "$PWD/examples"
  check "windows report: two ELFs" good_both 0 two "$@" here.elf here.profraw
  check "windows report: a threshold" good_both 1 limit "$@" \
    --fail-under lines=99,mcdc=99
  check "windows report: no dump" good_both 1 none report fw.elf nothing.log
  set -- report windows.elf windows.profraw --lcov lcov --json json
  check "windows report: names of Windows" good_both 0 names "$@" \
    --source-map "c:\\work=$IN/src"
  check "windows report: names of Windows, not here" good_both 1 lost "$@"
  echo >>"$IN/src/main.c"
  check "windows report: a source has changed" good_both 1 changed "$@" \
    --source-map "C:\\work\\=$IN/src"
}

command_run() {
  check "windows run: QEMU" good_both 0 run run fw.elf --count 6 \
    --lcov lcov -- qemu-system-arm -machine mps2-an385 -display none \
    -monitor none -serial stdio -semihosting-config enable=on,target=native \
    -kernel fw.elf
  check "windows run: a command that fails" good_both 1 fails run fw.elf -- \
    qemu-system-arm -machine none-such
  check "windows run: no such command" good_both 1 no-such run fw.elf -- \
    none-such
}

# Compares objects, messages and status with the compiler's own.
command_cc() {
  set -- "clang-$LLVM_HOST" --target=thumbv7m-none-eabi -O2 -Iinclude \
    -fprofile-instr-generate -fcoverage-mapping -ffreestanding \
    -fcoverage-compilation-dir=.
  cp tests/wire/work.c tests/cc/forms.cpp "$IN/" && cp -r include "$IN/" ||
    return
  check "windows cc: an object" good_both 0 cc cc --verbose "$@" -c forms.cpp \
    -std=c++17 -fno-exceptions -o forms.o
  check "windows cc: packed, assembly" good_both 0 packed cc --verbose \
    --counters=32-packed "$@" -S forms.cpp -std=c++17 -fno-exceptions -o forms.s
  check "windows cc: counters of 64" good_both 0 wide cc --counters=64 "$@" \
    -c forms.cpp -std=c++17 -fno-exceptions -o forms.o
  check "windows cc: an error" good_both 1 wrong cc "$@" -c forms.cpp \
    -std=c++17 -Dint=@ -o wrong.o
  check "windows cc: nothing stays in %TEMP%" temporary_gone
}

# other_inputs: makes firmware with nops and probes, its calls and samples; lean
# firmware and its dump.
other_inputs() {
  "clang-$LLVM_HOST" --target=riscv32-unknown-elf -march=rv32imac -mabi=ilp32 -mno-relax -w \
    -Os -g1 -ffreestanding -ffunction-sections -fpatchable-function-entry=4 \
    -fpseudo-probe-for-profiling -Itests/mip -c tests/mip/patch_work.c \
    -o "$IN/work.o" &&
    $MAKE -s firmware BOARD=virt-riscv32 LLVM=$LLVM_HOST SCRIPT=none \
      FRAGMENT="INCLUDE bareprof-mip.ld" SOURCES="$IN/work.o" \
      PLAIN=tests/mip/patch_main.c OUT="$IN/code" NAME=code \
      CFLAGS_APP="-Os -g1 -Itests/mip -DROOM=200" &&
    cp "$IN/code/code.elf" "$IN/" &&
    "$TOOL" mip patch "$IN/code.elf" -o "$IN/counts.elf" --counts &&
    targets/run virt-riscv32 "$IN/counts.elf" "$IN/code" </dev/null &&
    cp "$IN/code/mip.mipraw" "$IN/" &&
    "$TOOL" mip merge --any-build "$IN/counts.elf" "$IN/mip.mipraw" \
      -o "$IN/counts.mip" || return
  "llvm-nm-$LLVM_HOST" "$IN/code.elf" | awk '$2 == "t" || $2 == "T" {
    printf "0x%s x%d\r\n", $1, NR }' >"$IN/code.samples"
  $MAKE -s firmware BOARD=mps2-an385 LLVM=$LLVM_HOST OUT="$IN/lean" NAME=lean \
    SCRIPT=lean SOURCES=tests/report/image.c CFLAGS_APP="-O1 -g" \
    PROFILE="-fprofile-instr-generate -fcoverage-mapping" \
    LDFLAGS_APP="-u bareprof_preinit" &&
    SERIAL=file:lean.log targets/run mps2-an385 "$IN/lean/lean.elf" \
      "$IN/lean" </dev/null && cp "$IN/lean/lean.elf" "$IN/" &&
    "$TOOL" receive "$IN/lean/lean.log" -o "$IN/lean.bpdump"
}

command_others() {
  check "windows others: inputs" other_inputs
  check "windows others: join" good_both 0 join join lean.elf lean.bpdump \
    -o joined
  check "windows others: overlap" good_both 0 overlap overlap here.profraw \
    here.profraw
  check "windows others: probes" good_both 0 probes probes code.elf
  check "windows others: samples" good_both 0 samples samples --force code.elf \
    code.samples -o code.prof
  check "windows others: samples, hottest" good_both 0 hottest samples \
    --hottest code.elf code.samples
  check "windows others: doctor" both doctor doctor lean.elf --json
  while read -r words; do
    # shellcheck disable=SC2086 # Several words.
    check "windows others: mip $words" good_both 0 mip mip $words
  done <<'END'
patch code.elf -o out.elf --edges
patch counts.elf -o out.elf --plain
extract counts.elf -o out.map
create counts.elf -o out.mip
merge --any-build counts.elf mip.mipraw -o out.mip
show counts.mip --elf counts.elf
show counts.mip --elf counts.elf --lcov
covered counts.mip
hot counts.mip
cold counts.mip
info mip.mipraw
info counts.elf
END
}

# Ours have names of their own.
temporary_gone() {
  left=$(find "$WINEPREFIX/drive_c/users" -name 'bareprof*')
  [ -z "$left" ] || { echo "$left"; return 1; }
}

windows_commands() {
  IN=$OUT/inputs.d
  needs "windows commands" llvm:$LLVM_HOST board:mps2-an385 \
    board:virt-riscv32 || return 0
  check "windows commands: stand-ins" stand_ins
  check "windows commands: inputs" command_inputs
  group "windows report" command_report
  group "windows run" command_run
  group "windows cc" command_cc
  group "windows others" command_others
  group "windows docs" page
  group "windows devices" devices
}
