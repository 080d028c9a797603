# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh disable=SC2154 # The variables are of run, which sources it.
#
# Compares lines of real programs with gcov, or with clang's counters, for the
# same sources, level and work on the host.

# program NAME: sets $sources, $plain and $flags of a program; $part is in the
# names of its sources. A fetched project is in the folder $PROJECT.
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

# from_host gcc|clang LEVEL: prints FILE:LINE COUNT from the host's run.
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

# worked PROGRAM gcc|clang LEVEL: makes its report, and the host's lines.
worked() {
  program "$1" || return 1
  folder=$out/$1-$2$3 elf=$out/$1-$2$3/main.elf top=$PWD
  system=''
  [ -z "$libraries" ] || system="-isystem $libc_headers"
  $MAKE -s firmware BOARD=mps2-an385 LLVM=22 OUT="$folder" NAME=main \
    SCRIPT=none SOURCES="$sources" PLAIN="$plain" FRAGMENT='' PROFILE='' \
    LDFLAGS_APP="$libraries" CFLAGS_APP="$3 -w -g $flags $system" || return 1
  if [ "$2" = gcc ]; then
    flags="$flags $system -w"
    # shellcheck disable=SC2086 # Several sources.
    linked "$3" 22 $sources $plain || return 1
    flags=${flags%" $system -w"}
  fi
  from_host "$2" "$3" >"$folder/reference" || return 1
  "$bareprof" run --trace "$elf" -o "$folder/report" --lcov "$folder/info" \
    --include "$part" -- targets/run mps2-an385 "$elf" "$folder" \
    >"$folder/table" </dev/null
}

# Prints the lines at which a statement begins, from another DWARF reader:
# FILE:LINE.
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

# compared PROGRAM COMPILER LEVEL: prints, for each line with a statement and an
# instruction, FILE:LINE same|here|there: where only the line ran.
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

# agreed COMPILER LEVEL PERCENT FALSE: in all programs, at least PERCENT of the
# lines ran in both or in neither; at most FALSE in a thousand ran only here.
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

# LITTLEFS, COREMARK, CJSON, HEATSHRINK: folders of fetched projects.
fetched=''
for name in littlefs coremark cjson heatshrink; do
  eval "[ -z \"\${$(echo $name | tr a-z A-Z):-}\" ]" || fetched="$fetched $name"
done
for row in 'gcc -O0 99.6 0' 'gcc -Os 98 8' 'gcc -O2 98 8' 'clang -O0 99.6 2' \
  'clang -Os 98 8' 'clang -O2 98 8'; do
  label="objectcode: lines, ${row% * *}, are those of the host"
  wanted "$label" || continue
  needs "$label" llvm:22 board:mps2-an385 arm-none-eabi-gcc gcov || continue
  # shellcheck disable=SC2086 # Four words.
  check "$label" agreed $row
done
unset flags libraries
