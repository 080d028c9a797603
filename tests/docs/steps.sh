# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Follows README's two ways literally, each in an empty folder with its own
# installation: the lines of the page, and the lines that `bareprof init`
# prints. The project is the example to copy, without its use of bareprof. `run`
# sources this file.
# shellcheck disable=SC2154 # Of run.

steps_home=$out/steps/home
steps_row='^thermostat.c  *50.00    1   72.73    3'

# readme_lines FIRST LAST: prints the indented lines, from the line that begins
# with FIRST to the one with LAST.
readme_lines() {
  awk -v first="$1" -v last="$2" '
    sub(/^    +/, "") && index($0, first) == 1 { on = 1 }
    on { print }
    on && index($0, last) { exit }' README.md
}

steps_install() {
  rm -rf "$out/steps" && mkdir -p "$steps_home" &&
    commands README.md | grep "^make $1 " >"$out/steps/install.sh" &&
    [ -s "$out/steps/install.sh" ] &&
    env -u PREFIX -u LLVM MAKEFLAGS= HOME="$steps_home" BUILD="$BUILD" \
      sh -e "$out/steps/install.sh" >"$out/steps/install.log" 2>&1 ||
    tail -n 3 "$out/steps/install.log"
  [ -x "$steps_home/.local/bin/bareprof" ]
}

# in_project COMMAND: runs it in the project, as a user.
in_project() {
  (
    cd "$out/steps/project" && HOME=$steps_home MAKEFLAGS='' \
      PATH=$steps_home/.local/bin:$PATH \
      sh -ec "$1" </dev/null >>"$out/steps/log" 2>&1
  ) || { tail -n 3 "$out/steps/log"; return 1; }
}

# steps_project: makes sources and a linker script yours.ld. main sends nothing.
steps_project() {
  rm -rf "$out/steps/project" "$out/steps/log"
  mkdir -p "$out/steps/project" || return 1
  for file in thermostat.c thermostat.h board.h mps2-an385.c libc.c; do
    cp "examples/start/$file" "$out/steps/project" || return 1
  done
  cp examples/start/mps2-an385.ld "$out/steps/project/yours.ld"
  sed '/bareprof_wire.h/d; /^\/\* The sink/,/^}/d; /bareprof_sink/d
    s/return bareprof_send.*/return 0;/' examples/start/main.c \
    >"$out/steps/project/main.c"
}

# ---- no change to the project ----

# steps_unchanged LINKER: LINKER is a clang flag in the project's Makefile.
steps_unchanged() {
  steps_project && cat >"$out/steps/project/Makefile" <<MAKE || return 1
CC = clang-22
CFLAGS = -mcpu=cortex-m3 -O1 -g -ffreestanding
LDFLAGS = -nostdlib -static $1 -T yours.ld
fw.elf: thermostat.o main.o mps2-an385.o libc.o
	\$(CC) \$(CFLAGS) \$(LDFLAGS) \$^ -o \$@
MAKE
  lines=$(readme_lines 'make CC=' '-kernel fw.elf')
  case $lines in *"bareprof run --gdb"*) ;; *) echo "$lines"; return 1 ;; esac
  in_project "$lines" && grep -q "$steps_row" "$out/steps/log" ||
    { tail "$out/steps/log"; false; }
}

# ---- with a UART ----

# steps_uart LINKER: LINKER is the first word of its line in init's text.
steps_uart() {
  steps_project || return 1
  sed -i 's/return 0;$/extern int dump_profile(void); return dump_profile();/' \
    "$out/steps/project/main.c"
  in_project "$(readme_lines 'bareprof init' '')" &&
    [ -s "$out/steps/project/dump.c" ] || return 1
  block README.md c 1 | sed 's/^   //' |
    diff - "$out/steps/project/dump.c" || return 1
  measured=$(sed -n 's/^  //; /-c FILE.c$/s/FILE/thermostat/p' "$out/steps/log")
  plain=$(sed -n 's/^  //; /-c dump.c$/p' "$out/steps/log")
  link=$(grep -e "^  $1 " -e '^  awk ' "$out/steps/log")
  in_project "export CFLAGS='-mcpu=cortex-m3 -O1 -g -ffreestanding
      -ffunction-sections' LDFLAGS='-nostdlib -static -mcpu=cortex-m3 -mthumb'
    $measured
    $plain
    for file in main mps2-an385 libc; do
      clang-22 --target=thumbv7m-none-eabi \$CFLAGS -c \$file.c
    done
    OBJECTS='thermostat.o main.o mps2-an385.o libc.o'
    $link
    bareprof doctor fw.elf
    bareprof run fw.elf --timeout 20 -- qemu-system-arm -machine mps2-an385 \\
      -nographic -monitor none -kernel fw.elf" &&
    grep -q "$steps_row" "$out/steps/log" || { tail "$out/steps/log"; false; }
}

steps_tool() {
  check "docs: README without changes: its line installs" steps_install \
    install-tool
  check "docs: README without changes, lld" steps_unchanged -fuse-ld=lld
  ! have arm-none-eabi-ld ||
    sole "docs: README without changes, GNU ld" steps_unchanged \
      --ld-path=arm-none-eabi-ld
}
steps_library() {
  check "docs: README by a UART: its line installs" steps_install install
  for linker in ld.lld-22 arm-none-eabi-ld arm-none-eabi-gcc \
    "clang-22 --target=thumbv7m-none-eabi -fuse-ld=lld"; do
    ! have "${linker%% *}" ||
      check "docs: README by a UART: $linker" steps_uart "$linker"
  done
}
group "docs: README without" steps_tool
group "docs: README by" steps_library
