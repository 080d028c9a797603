#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Prints what QEMU's execution log shows of a firmware: which functions were
# entered, how often, in what order first, and from where. The log does not
# depend on instrumentation, so tests compare instrumentation with it.
#   tests/mip/log.sh BOARD ELF [FOLDER]
# Files that the firmware writes appear in FOLDER, and its output in
# FOLDER/output; the exit status is the firmware's. Prints, in the order of
# first calls, then of addresses:
#   call ADDRESS NAME COUNT
#   edge RETURN-ADDRESS ADDRESS NAME COUNT
# ADDRESS is the code's address, 0x and 16 digits; NAME is the first global
# symbol there, else the first weak one, else the first local one. The return
# address is the link register at the entry, without the Thumb bit: after a tail
# call, the first caller's.
#
# FROM and TO are functions: only entries after the first entry of FROM, and
# before TO's, are shown, without these two. The defaults are bareprof_mip_init
# and bareprof_mip_write; "" shows all. ENTRIES=FILE names the functions to
# watch, one a line; else all functions with a size are watched.
#
# A jump to an entry begins a block of QEMU. Code may also fall through into a
# function, so -singlestep makes each instruction a block. -dfilter keeps only
# entries in the log, and `cpu` adds the registers. An interrupt may stop a
# block before it begins: QEMU logs the block, prints "Stopped execution", and
# logs the block again. The log goes through a pipe, since each call logs a
# screen of registers.
set -u
READELF=${READELF:-llvm-readelf-${LLVM_HOST:-22}}
FROM=${FROM-bareprof_mip_init}
TO=${TO-bareprof_mip_write}
if [ $# -lt 2 ] || [ ! -f "targets/$1/board.mk" ] || [ ! -f "$2" ]; then
  echo "usage: tests/mip/log.sh BOARD ELF [FOLDER]" >&2
  exit 2
fi
board=$1 elf=$2
folder=${3:-$(dirname "$elf")}
mkdir -p "$folder"
work=$(mktemp -d "$folder/log.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

# Prints one `ADDRESS NAME` for each address: global before weak before local.
# The address does not contain Arm's bit 0.
functions() {
  "$READELF" -h -s -W "$elf" | awk '
    function even(hex,   last) {
      last = index("0123456789abcdef", substr(hex, length(hex))) - 1
      return substr(hex, 1, length(hex) - 1) \
        substr("0022446688aaccee", last + 1, 1)
    }
    /Machine:/ { arm = $2 == "ARM" }
    $4 == "FUNC" && $3 != "0" && $7 != "UND" {
      address = tolower($2)
      if (arm) address = even(address)
      while (length(address) < 16) address = "0" address
      rank = $5 == "GLOBAL" ? 0 : $5 == "WEAK" ? 1 : 2
      print address, rank, $8
    }' | LC_ALL=C sort -k1,1 -k2,2n -k3,3 |
    awk '$1 "" != last { print $1, $3 } { last = $1 "" }' # 0e30 is text
}

# Selects the wanted functions, and FROM and TO.
if [ -n "${ENTRIES:-}" ]; then
  functions | awk -v from="$FROM" -v to="$TO" '
    NR == FNR { wanted[$1] = 1; next }
    $2 in wanted || $2 == from || $2 == to' "$ENTRIES" - >"$work/entries"
else
  functions >"$work/entries"
fi
[ -s "$work/entries" ] || { echo "$elf: no functions" >&2; exit 2; }
filter=$(awk '{ printf "%s0x%s+0x1", (NR > 1 ? "," : ""), $1 }' "$work/entries")

# Lines of the log, as of QEMU 7.2 to 9:
#   Trace 0: HOST [BASE/ADDRESS/FLAGS/CFLAGS] NAME
#   R12=00000000 R13=2003ffe8 R14=0000011b R15=00000120    Arm
#   X28=0000000000000000 X29=... X30=0000000040000034      AArch64
#    x0/zero 00000000 x1/ra   80000054 ...                 RISC-V
read_log() {
  awk -v from="$FROM" -v to="$TO" '
    function pad(hex) {
      hex = tolower(hex)
      while (length(hex) < 16) hex = "0" hex
      return hex
    }
    function even(hex) {
      if (!arm) return hex
      return substr(hex, 1, 15) substr("0022446688aaccee", \
        index("0123456789abcdef", substr(hex, 16)), 1)
    }
    function forget() {
      if (entry == "") return
      counts[entry]--
      if (came != "") edges[came " " entry]--
      entry = came = ""
    }
    NR == FNR {
      names[$1] = $2
      if (to != "" && $2 == to) last = $1
      if (from != "" && $2 == from) first = $1
      next
    }
    FNR == 1 { on = first == "" }
    /^Trace / {
      split($0, part, "/")
      entry = pad(part[2])
      came = ""
      if (entry == last) on = 0
      if (!on || entry == first || !(entry in names)) {
        if (entry == first && !done++) on = 1
        entry = ""
        next
      }
      if (counts[entry]++ == 0 && !(entry in seen)) {
        order[++n] = entry
        seen[entry] = 1
      }
    }
    /^Stopped execution/ { forget() }
    entry != "" && came == "" {
      if (match($0, /R14=[0-9a-f]+/)) {
        arm = 1
        came = substr($0, RSTART + 4, RLENGTH - 4)
      } else if (match($0, /X30=[0-9a-f]+/))
        came = substr($0, RSTART + 4, RLENGTH - 4)
      else if (match($0, /x1\/ra +[0-9a-f]+/)) {
        came = substr($0, RSTART + 5, RLENGTH - 5)
        gsub(/ /, "", came)
      }
      if (came != "") {
        came = even(pad(came))
        edges[came " " entry]++
      }
    }
    END {
      for (i = 1; i <= n; i++)
        if (counts[order[i]] > 0)
          print "call 0x" order[i], names[order[i]], counts[order[i]]
      for (edge in edges)
        if (edges[edge] > 0) {
          split(edge, part, " ")
          print "edge 0x" part[1], "0x" part[2], names[part[2]],
            edges[edge] | "sort"
        }
    }' "$work/entries" "$1"
}

# If QEMU does not start, the reader of the pipe has no writer.
mkfifo "$work/log"
{
  TIMEOUT=${TIMEOUT:-60} targets/run "$board" "$elf" "$folder" -singlestep \
    -d exec,cpu,nochain -D "$(cd "$work" && pwd)/log" -dfilter "$filter" \
    </dev/null >"$folder/output" 2>"$folder/errors"
  ended=$?
  : <>"$work/log"
  exit $ended
} &
read_log "$work/log"
wait $!
