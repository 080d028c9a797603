#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What QEMU's execution log says of a firmware: which functions were entered,
# how often, in what order first, and from where. No instrumentation has a
# part in it, so it is what instrumentation is judged by.
#   tests/mip/log.sh BOARD ELF [FOLDER]
# Files that the firmware writes appear in FOLDER, and its output in
# FOLDER/output; the exit status is the firmware's. On standard output, by the
# order of first calls, then by address:
#   call ADDRESS NAME COUNT
#   edge RETURN-ADDRESS ADDRESS NAME COUNT
# ADDRESS is that of the code, 0x and 16 digits; NAME is that of the symbol
# there that is global, else weak, else local, and the first of these. The
# return address is what the link register holds at the entry, without the bit
# for Thumb: of a tail call, that of the first caller.
#
# FROM and TO are functions: only what comes after the first entry of FROM, and
# before that of TO, is shown; both are not. They are bareprof_mip_init and
# bareprof_mip_write if not given; "" for all. ENTRIES=FILE names the functions
# to look at, one a line; else it is all that have a size.
#
# How. An entry is always the first instruction of a block of QEMU's, for it
# is jumped to; -singlestep makes each instruction a block, for those that are
# fallen into. -dfilter keeps all but the entries out of the log, and `cpu`
# adds the registers. An interrupt may stop a block before it begins: QEMU
# logs it, says "Stopped execution", and logs it again. The log goes through a
# pipe, since it has a screen of registers for each call.
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

# `ADDRESS NAME`, one for an address: global before weak before local. Arm's
# bit 0 is not in the address.
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
    awk '$1 "" != last { print $1, $3 } { last = $1 "" }' # 0e30 is no number
}

# Those that are wanted, and FROM and TO.
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

# A QEMU that does not start leaves the pipe's reader no writer.
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
