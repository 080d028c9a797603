# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes firmware of examples/start with a mistake in it. `run` sources this
# file.

TOOL=$BUILD/bareprof
ARCHIVE=$BUILD/llvm-22/thumbv7m-none-eabi/libbareprof.a
MEASURED="-fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc"
SCRIPTS="-T $start/mps2-an385.ld -T $start/regions.ld -T bareprof-insert.ld"
USUAL="--build-id -u bareprof_preinit"

# compile SOURCE OBJECT FLAGS...: compiles in $out.
compile() {
  source=$1 object=$2
  shift 2
  clang-22 --target=thumbv7m-none-eabi -mcpu=cortex-m3 -O1 -g -ffreestanding \
    -ffunction-sections -fdata-sections -Iinclude -I$start "$@" -c "$source" \
    -o "$out/$object"
}
# changed SOURCE NAME SED: edits a copy of a file of the example.
changed() { sed "$3" "$start/$1" >"$out/$2"; }

# firmware ELF OPTIONS...: links; the linker's messages are in $said. OBJECTS
# are the parts; main, thermostat, libc and the linker have defaults.
firmware() {
  elf=$out/$1
  shift
  rm -f "$elf"
  said=$(${linker:-ld.lld-22} --gc-sections -L linker-scripts "$@" \
    "$out/${main:-main.o}" "$out/board.o" "$out/${libc:-libc.o}" \
    "$out/${measured:-thermostat.o}" "${archive:-$ARCHIVE}" -o "$elf" 2>&1)
  [ -e "$elf" ]
}

# The QEMU command for an ELF.
qemu="qemu-system-arm -machine mps2-an385 -nographic -monitor none -kernel"

# says FILE TEXT: the file contains the text, across line breaks.
says() {
  tr -s ' \n' ' ' <"$1" | grep -qF -- "$2" ||
    { echo "not said: $2; but: $(one_line <"$1")"; return 1; }
}
# doctor_says TEXT: the doctor prints it for $elf; "" if it finds nothing.
doctor_says() {
  "$TOOL" doctor "$elf" >"$out/doctor" 2>&1
  status=$?
  if [ -z "$1" ]; then
    [ "$status" = 0 ] && ! grep '^\(error\|warning\) ' "$out/doctor" ||
      { echo "$said"; return 1; }
  else
    says "$out/doctor" "$1" && ! grep -q ' D[0-9]*.*D[0-9]' "$out/doctor"
  fi
}
# told TEXT COMMAND...: expects exit status 1, and one line with TEXT.
told() {
  text=$1
  shift
  "$@" >"$out/stdout" 2>"$out/stderr" </dev/null
  [ $? = 1 ] || { echo "status is not 1"; return 1; }
  says "$out/stderr" "$text" || return 1
  [ "$(grep -ac '^bareprof: ' "$out/stderr")" = "${LINES_MOST:-1}" ] ||
    { echo "lines: $(one_line <"$out/stderr")"; return 1; }
}
# right COMMAND...: expects the thermostat's right report.
right() {
  "$@" >"$out/stdout" 2>"$out/stderr" </dev/null
  grep -aq 'thermostat.c  *50.00    1   72.73    3' "$out/stdout" ||
    { echo "no such table: $(one_line <"$out/stderr")"; return 1; }
}
runs() { set -- "$elf" "$@"; "$TOOL" run "$@" -q -o "$out/report" --timeout 20 -- $qemu "$elf"; }
# console LOG: writes the output of $elf to LOG.
console() {
  timeout 4 $qemu "$elf" >"$out/$1" 2>/dev/null </dev/null || true
}
reports() { "$TOOL" report "$@" -o "$out/report"; }

made() {
  $MAKE -s -j "$JOBS" lib tool TARGET=thumbv7m-none-eabi LLVM=22 &&
    compile $start/main.c main.o && compile $start/mps2-an385.c board.o &&
    compile $start/libc.c libc.o &&
    install_for_init "$out/at" thumbv7m-none-eabi &&
    compile $start/thermostat.c thermostat.o $MEASURED &&
    firmware fw.elf $USUAL $SCRIPTS &&
    runs && cp "$out/report/console.log" "$out/good.log" &&
    cp "$elf" "$out/good.elf"
}
