# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Follows docs/how-to/windows.md in wine's cmd: runs the commands of its blocks
# `bat`. Blocks `bat board` need hardware. `run` sources this file.

# page_commands LANGUAGE: prints a command on each line.
page_commands() {
  awk -v open="\`\`\`$1" '
    $0 == "```" { inside = 0 }
    inside
    $0 == open { inside = 1 }' docs/how-to/windows.md
}

# Each command in the text is the beginning of a command in a block.
page_complete() {
  { page_commands bat; page_commands 'bat board'; } >"$OUT/page.all"
  [ "$(wc -l <"$OUT/page.all")" -ge 10 ] || return 1
  # shellcheck disable=SC2016 # Backticks.
  sed '/^```/,/^```$/d' docs/how-to/windows.md | tr '\n' ' ' |
    grep -o '`bareprof [^`]*`' | tr -d '`' | while read -r span; do
    grep -qF "$span" "$OUT/page.all" || { echo "not in a block: $span"; exit 1; }
  done
}

# Makes a folder with the zip's bin; the log is as PowerShell's > writes it.
page_folder() {
  rm -rf "$PAGE" && mkdir -p "$PAGE" || return
  $MAKE -s -j "$JOBS" dist-windows BUILD="$(dirname "$TOOL")" \
    LLVM=$LLVM_HOST INSTALL_TARGETS=thumbv7m-none-eabi &&
    python3 -m zipfile -e "$(dirname "$TOOL")"/dist/bareprof-*-windows.zip \
      "$PAGE/" && mv "$PAGE"/bareprof-*/bin "$PAGE/bin" &&
    cp "$IN/fw.elf" "$PAGE/" &&
    { printf '\377\376'
      iconv -f latin1 -t UTF-16LE "$IN/fw.log"; } >"$PAGE/log.txt" &&
    echo 'int f(int a) { return a ? 1 : 2; }' >"$PAGE/a.c"
}

# page_run LINE: runs it in cmd, as if typed.
page_run() {
  (
    cd "$PAGE" || exit
    printf '@echo off\r\n%s\r\n' "$1" >typed.bat
    STAND_IN=$PROGRAMS LLVM=$LLVM_HOST \
      WINEPATH="Z:${PAGE//\//\\}\\bin;Z:${PROGRAMS//\//\\}" \
      timeout 100 wine cmd /c typed.bat </dev/null >typed.out 2>&1 ||
      { status=$?; tail -3 typed.out; exit $status; }
  )
}

# The commands leave the same results as on Linux.
page_results() {
  (
    cd "$PAGE" || exit
    { "$TOOL" receive "$IN/fw.log" -o want.profraw
      "$TOOL" report fw.elf want.profraw -o want --lcov want.lcov
    } >/dev/null 2>&1
    cmp want.profraw a.profraw && cmp want.lcov second.lcov &&
      cmp a.o b.o || exit
    for name in doctor.txt all.profdata bareprof-report/html/index.html \
      second/html/index.html ran/console.log ran/html/index.html; do
      [ -s "$name" ] || { echo "no $name"; exit 1; }
    done
    ! grep -q "$(printf '\033')" doctor.txt
  )
}

page() {
  PAGE=$OUT/page
  check "windows docs: each command is in a block" page_complete
  check "windows docs: a folder with a log" page_folder
  page_commands bat >"$OUT/page.lines"
  while read -r line <&3; do
    check "windows docs: $line" page_run "$line"
  done 3<"$OUT/page.lines"
  check "windows docs: their results" page_results
}
