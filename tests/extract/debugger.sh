# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# QEMU under GDB, for the extract tests. GDB starts QEMU and speaks to its stub
# through a pipe: no port is needed, and none can be taken. `run` sources it.

# debug NAME IMAGE SYMBOLS: GDB's commands on standard input, from a board
# that is at reset. What it says goes to $folder/NAME.log.
debug() {
  {
    printf 'set confirm off\nset width 0\nset remotetimeout 30\n'
    echo "target remote | exec targets/run $board $2 $folder -S -gdb stdio"
    echo "source $GDB_SCRIPT"
    cat
  } >"$folder/$1.gdb"
  SERIAL=null timeout 60 "$GDB" -nx -batch -x "$folder/$1.gdb" "$3" \
    >"$folder/$1.log" 2>&1 || { tail -n 3 "$folder/$1.log"; return 1; }
}

# Garbage from the counters on, so that a wrong initial value shows.
garbage() {
  head -c 4096 /dev/zero | tr '\0' '\245' >"$folder/garbage"
  echo 'set $garbage = (unsigned long) &__start___llvm_prf_cnts'
  echo "restore $folder/garbage binary \$garbage"
}

# gdb_run NAME: from reset to the end of main; $folder/NAME.memory. The runtime
# of a full image initialises its counters itself.
gdb_run() {
  {
    garbage
    case $1 in full) ;; *) echo bareprof-init ;; esac
    printf 'break board_exit\ncontinue\n'
    echo "bareprof-dump $folder/$1.memory"
  } | debug "$1" "$folder/$1.elf" "$folder/$1.elf"
}

# ---- rows: what else the commands do ----

# fills SIZES: bareprof-fill in the middle of garbage, and what is then there.
fills() {
  {
    for size in $1; do
      echo 'set $at = (unsigned long) &__start___llvm_prf_cnts + 8'
      for page in 0 4096 8192 12288; do
        echo "set \$garbage = \$at + $page - 8"
        echo "restore $folder/garbage binary \$garbage"
      done
      echo 'set $bareprof_value = 0x1122334455667788'
      echo "bareprof-fill \$at \$at+$size"
      echo "dump binary memory $folder/fill-$size \$at-8 \$at+$size+8"
    done
  } | debug fills "$folder/silent.elf" "$folder/silent.elf" || return 1
  for size in $1; do
    {
      head -c 8 "$folder/garbage"
      awk -v size="$size" 'BEGIN {
        for (; size; size -= 8) printf "\210\167\146\125\104\063\042\021" }'
      head -c 8 "$folder/garbage"
    } >"$folder/expected"
    cmp "$folder/expected" "$folder/fill-$size" || return 1
  done
}

# Nobody has initialised the counters: garbage, and memory of zeros.
not_initialised() {
  for before in garbage true; do
    { $before && echo "bareprof-dump $folder/none"; } |
      debug refused "$folder/silent.elf" "$folder/silent.elf" >/dev/null &&
      { echo "a dump of $before succeeds"; return 1; }
    grep -q '^bareprof: nothing written, nobody' "$folder/refused.log" ||
      { tail -n 3 "$folder/refused.log"; return 1; }
    [ ! -e "$folder/none" ] || { echo "there is a file"; return 1; }
  done
}

# All counts of one run, twice; then anew: of the exit, nothing.
reset() {
  {
    printf 'bareprof-init\nbreak board_exit\ncontinue\n'
    for name in first second; do
      echo "bareprof-dump $folder/$name.memory"
    done
    echo "bareprof-reset"
    echo "bareprof-dump $folder/reset.memory"
  } | debug reset "$folder/silent.elf" "$folder/silent.elf" &&
    cmp "$folder/first.memory" "$folder/second.memory" || return 1
  size=$(wc -c <"$folder/reset.memory")
  head -c $((size - 8)) "$folder/first.memory" | tr -d '\0' | grep -q . ||
    { echo "nothing was counted"; return 1; }
  zeros=$(head -c $((size - 8)) "$folder/reset.memory" | tr -d '\0' | wc -c)
  [ "$zeros" = 0 ] || { echo "$zeros bytes are not 0"; return 1; }
}

# The program on the board is stripped: GDB has what was extracted before.
released() {
  at=$("$NM" "$folder/silent.elf" | awk '$3 == "board_exit" { print $1 }')
  "$BAREPROF" extract "$folder/silent.elf" -o "$folder/silent.meta" &&
    arm-none-eabi-strip "$folder/silent.elf" -o "$folder/released.elf" &&
    {
      printf 'bareprof-init\nbreak *0x%s\ncontinue\n' "$at"
      echo "bareprof-dump $folder/released.memory"
    } | debug released "$folder/released.elf" "$folder/silent.meta" &&
    cmp "$folder/first.memory" "$folder/released.memory"
}

# Counters of a byte each begin at 0xFF.
single_bytes() {
  image full lld full "$single_bytes" &&
    image bytes lld lean "$single_bytes" &&
    gdb_run full && {
      garbage
      printf 'bareprof-init 0xFF\nbreak board_exit\ncontinue\n'
      echo "bareprof-dump $folder/bytes.memory"
    } | debug bytes "$folder/bytes.elf" "$folder/bytes.elf" &&
    text_of "$folder/coverage.profraw" &&
    same_profile "$folder/bytes.elf" "$folder/bytes.memory"
}

# The example, as a user runs it: what awk finds in the recording.
example() {
  LLVM=$llvm examples/gdb/run >"$folder/report" 2>&1 ||
    { tail -n 2 "$folder/report"; return 1; }
  "llvm-profdata-$llvm" show --all-functions --counts \
    "$BUILD/gdb/silent.profraw" | awk '
      /^  [^ ].*:$/ { name = $1; sub(/:$/, "", name); sub(/.*:/, "", name) }
      /Function count:/ { print name, $3 }' | sort >"$folder/counts"
  awk -f $coverage/expected-counts $coverage/stream.nmea | sort \
    >"$folder/expected"
  [ "$(wc -l <"$folder/expected")" -ge 10 ] || { echo few; return 1; }
  missing=$(comm -23 "$folder/expected" "$folder/counts")
  [ -z "$missing" ] || { echo "not in the profile: $missing"; return 1; }
  grep -q 'MC/DC' "$folder/report"
}

rows_gdb() {
  board=mps2-an385
  check "extract gdb: builds" image silent lld lean
  garbage >/dev/null
  check "extract gdb: fills any size, nothing else" \
    fills "0 8 16 24 4088 4096 4104 8192 8200 12288"
  check "extract gdb: refuses what nobody initialised" not_initialised
  check "extract gdb: reset" reset
  check "extract gdb: a stripped program, by what was extracted" released
  check "extract gdb: single bytes" single_bytes
  check "extract gdb: the example counts as the recording" example
}
