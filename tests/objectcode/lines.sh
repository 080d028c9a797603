# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh disable=SC2154 # The variables are of run, which sources it.
#
# Lines of real programs, next to those that gcov, or clang's counters, have of
# the same sources, level and work on the host.

# program NAME: $sources, $plain and $flags of a program; $part is in the names
# of its sources. That of a fetched project is in the folder $PROJECT.
program() {
  plain='' libraries='' flags="-I$watched"
  case $1 in
    watch)
      sources="$here/watch.c $watched/monitor.c $watched/nmea.c"
      plain=$watched/stream.S part='(watch|monitor|nmea)\.c'
      ;;
    store)
      sources=$here/work.c part='loads/store.*\.c' flags=-Itests/bench/loads
      for file in store store_file store_log store_work; do
        sources="$sources tests/bench/loads/$file.c"
      done
      ;;
    *)
      name=$1
      eval "from=\$$(echo "$name" | tr a-z A-Z)"
      . tests/bench/loads.sh
      load_of "$name" "$from" && libc_of mps2-an385 || return 1
      sources="$here/work.c $work $sources" libraries="-z muldefs $libc" part="$from"
      flags="$flags -Itargets -Iinclude -Itests/bench -Itests/bench/loads"
      ;;
  esac
}

# from_host gcc|clang LEVEL: FILE:LINE COUNT of the host's run.
from_host() {
  if [ "$1" = gcc ]; then
    mkdir -p "$folder/host" && cd "$folder/host" || return 1
    for source in $sources $plain; do
      case $source in /*) ;; *) source=$top/$source ;; esac
      # shellcheck disable=SC2046,SC2086 # Several words.
      gcc "$2" -w -DHOST --coverage $(for word in $flags; do
        case $word in -I[!/]*) echo "-I$top/${word#-I}" ;; *) echo "$word" ;; esac
      done) -c "$source" || return 1
    done
    gcc --coverage ./*.o -o program && ./program &&
      gcov -t ./*.gcda 2>/dev/null | awk -F : '
        $3 == "Source" { file = $4; sub(/.*\//, "", file) }
        { gsub(/ /, "", $1); gsub(/ /, "", $2); sub(/[*]$/, "", $1) }
        $2 + 0 && $1 != "-" { print file ":" $2, $1 + 0 }'
    host_status=$?
    cd "$top" || return 1
    return $host_status
  fi
  # shellcheck disable=SC2086 # Several words.
  clang-22 "$2" -w -DHOST -fprofile-instr-generate -fcoverage-mapping $flags \
    $sources $plain -o "$folder/host" &&
    LLVM_PROFILE_FILE="$folder/raw" "$folder/host" &&
    llvm-profdata-22 merge "$folder/raw" -o "$folder/profdata" &&
    llvm-cov-22 export -format=lcov "$folder/host" \
      -instr-profile="$folder/profdata" | awk -F '[:,]' '
      $1 == "SF" { file = $2; sub(/.*\//, "", file) }
      $1 == "DA" { print file ":" $2, $3 + 0 }'
}

# made PROGRAM gcc|clang LEVEL [BOARD LLVM]: $elf.
made() {
  program "$1" || return 1
  folder=$out/$1-$2$3${4:-} elf=$out/$1-$2$3${4:-}/main.elf top=$PWD
  set -- "$1" "$2" "$3" "${4:-mps2-an385}" "${5:-22}"
  system=''
  [ -z "$libraries" ] || system="-isystem $libc_headers"
  $MAKE -s firmware BOARD="$4" LLVM="$5" OUT="$folder" NAME=main \
    SCRIPT=none SOURCES="$sources" PLAIN="$plain" FRAGMENT='' PROFILE='' \
    LDFLAGS_APP="$libraries" CFLAGS_APP="$3 -w -g $flags $system" || return 1
  if [ "$2" = gcc ]; then
    flags="$flags $system -w"
    # shellcheck disable=SC2086 # Several sources.
    linked "$4" "$3" "$5" $sources $plain || return 1
    flags=${flags%" $system -w"}
  fi
}

# worked PROGRAM gcc|clang LEVEL: makes the report, and the reference on the
# host.
worked() {
  made "$@" && from_host "$2" "$3" >"$folder/reference" || return 1
  "$bareprof" run --trace "$elf" -o "$folder/report" --lcov "$folder/info" \
    --include "$part" -- targets/run mps2-an385 "$elf" "$folder" \
    >"$folder/table" </dev/null
}

# The lines at which a statement begins, by another reader of DWARF: FILE:LINE.
statements() {

  llvm-dwarfdump-22 --debug-line "$elf" | awk '
    /^debug_line/ { split("", name) }
    /^file_names/ { number = $2 + 0; if ($1 ~ /[0-9]/) number = $1
      gsub(/[^0-9]/, "", number); number += 0 }
    /^ *name:/ { file = $2; gsub(/"/, "", file); sub(/.*\//, "", file)
      name[number] = file }
    /^0x[0-9a-f]+ .*is_stmt/ && !/end_sequence/ { print name[$4] ":" $2 }' |
    LC_ALL=C sort -u
}

# compared PROGRAM COMPILER LEVEL: a line for each line with a statement and an
# instruction: FILE:LINE same|here|there, where it ran alone.
compared() {
  worked "$1" "$2" "$3" || { tail -3 "$folder/table" >&2; return 1; }
  awk -F '\t' 'FNR > 1 && $8 { sub(/.*\//, "", $8); print $8 ":" $7 }' \
    "$folder/report/objectcode.tsv" | LC_ALL=C sort -u >"$folder/coded"
  statements | LC_ALL=C comm -12 - "$folder/coded" >"$folder/own"
  awk '
    FILENAME ~ /own$/ { own[$1]; next }
    FILENAME ~ /reference$/ {
      if (!($1 in known) || $2 > known[$1]) known[$1] = $2
      next
    }
    /^SF/ { file = $0; sub(/.*\//, "", file) }
    /^DA/ {
      split(substr($0, 4), part, ",")
      at = file ":" part[1]
      if ((at in known) && (at in own))
        print at, !known[at] == !part[2] ? "same" : part[2] ? "here" : "there"
    }' "$folder/own" "$folder/reference" "$folder/info"
}

# agreed COMPILER LEVEL PERCENT FALSE: over all programs at least so many lines in
# a hundred ran, or never, in both; at most FALSE in a thousand ran here alone.
agreed() {
  agreement=$out/agreement-$1$2
  : >"$agreement"
  for name in watch store $fetched; do
    compared $name "$1" "$2" >"$out/compared" || return 1
    at_least 100 "$(wc -l <"$out/compared")" || return 1
    cat "$out/compared" >>"$agreement"
  done
  awk -v least="$3" -v most="$4" '
    { count[$2]++ }
    $2 != "same" { which = which " " $0 }
    END {
      printf "%d lines, %.2f %% agree:%s\n", NR, 100 * count["same"] / NR, which
      exit 100 * count["same"] < least * NR || 1000 * count["here"] > most * NR
    }' "$agreement" >"$agreement.said" || { cat "$agreement.said"; return 1; }
}

# LITTLEFS, COREMARK, CJSON, HEATSHRINK: folders of projects that were fetched.
fetched=''
for name in littlefs coremark cjson heatshrink; do
  eval "[ -z \"\${$(echo $name | tr a-z A-Z):-}\" ]" || fetched="$fetched $name"
done
for row in 'gcc -O0 99.6 0' 'gcc -Os 98 8' 'gcc -O2 98 8' 'clang -O0 99.6 2' \
  'clang -Os 98 8' 'clang -O2 98 8'; do
  label="objectcode: lines, ${row% * *}, are those of the host"
  wanted "$label" || continue
  case $row${FULL:-}${CASE:-} in *'-O2 98 8') continue ;; esac
  needs "$label" llvm:22 board:mps2-an385 arm-none-eabi-gcc gcov || continue
  # shellcheck disable=SC2086 # Four words.
  check "$label" agreed $row
done

# slowed PROGRAM TIMES: with the plugin, QEMU takes at most 1.5 times as long as
# without, in the same turns, for as many times the program's work.
slowed() {
  gcc_more="-DTIMES=$2"
  made "$1" gcc -O2 && takes_at_most 1.5 mps2-an385
}

# Several cores count by callbacks. The ratio is 3.2 alone, and was 5.4 while
# other programs moved the threads between processors.
slowed_harts() {
  hard harts-time virt-riscv32 22 $here/harts.c "-Os -DTIMES=50000000" &&
    takes_at_most 9 virt-riscv32 -smp 2 -accel tcg,thread=multi
}

# takes_at_most RATIO BOARD [QEMU-FLAG...]: expects that a run with the plugin
# takes at most RATIO times as long as one without it.
takes_at_most() {
  most=$1 board=$2
  shift 2
  "$bareprof" trace "$elf" --list --object-code -o "$folder/list" &&
    cc -O2 tests/speed/alternate.c -o "$out/alternate" &&
    TIMEOUT=600 "$out/alternate" 5 targets/run "$board" "$elf" "$folder" "$@" \
      -- targets/run "$board" "$elf" "$folder" "$@" -plugin \
      "$out/plugin.so,list=$folder/list,out=$folder/trace" </dev/null \
      >"$folder/time" || return 1
  awk -v most="$most" '{ time[NR] = $1; ratio = $4 }
    END {
      printf "%s times as long, %d ms, without %d ms\n", ratio, time[2], time[1]
      exit NR != 2 || ratio > most || time[1] < 300
    }' "$folder/time" >"$folder/said" || { cat "$folder/said"; return 1; }
}
for row in 'store 3000' 'littlefs 200' 'coremark 150'; do
  label="objectcode: how long QEMU takes, ${row% *}"
  { [ -n "${FULL:-}${CASE:-}" ] && wanted "$label"; } || continue
  case " store$fetched " in
    *" ${row% *} "*) ;;
    *) skip "$label" "no folder of it is named" && continue ;;
  esac
  needs "$label" llvm:22 board:mps2-an385 arm-none-eabi-gcc || continue
  # shellcheck disable=SC2086 # Two words.
  check "$label" slowed $row
done
gcc_more=''
unset flags libraries
