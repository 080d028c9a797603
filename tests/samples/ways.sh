#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The use of contexts: with a context-sensitive profile, clang inlines a
# function on one chain of calls, and not on another. Without contexts it treats
# both alike. `run` sources this file.

ways_firmware() {
  $MAKE -s firmware BOARD="$board" LLVM="$LLVM_HOST" OUT="$OUT/$board" \
    NAME="$1" SOURCES=tests/samples/ways.c SCRIPT=none FRAGMENT= \
    PROFILE="$probed $relax" CFLAGS_APP="-O2 -g1 -Wall -Wextra $flags"
}

# with_profile NAME OPTION...: prints the functions that still call digest,
# after clang has used a profile of the same stacks.
with_profile() {
  name=$1
  shift
  "$TOOL" samples "$folder/ways.elf" "$folder/ways.stacks" "$@" \
    -o "$folder/$name.prof" 2>"$folder/said" &&
    flags="-Werror -fprofile-sample-use=$(realpath "$folder/$name.prof")" &&
    ways_firmware "$name" >"$folder/said" 2>&1 ||
    { one_line <"$folder/said"; return 1; }
  flags=
  "llvm-objdump-$LLVM_HOST" -d --no-show-raw-insn "$folder/$name.elf" |
    awk '
    /^[0-9a-f]+ <.*>:$/ { caller = $2; next }
    /<_ZL6digestj[^+>]*>/ { print caller }' | tr -d '<>:' | sort -u | xargs
}

# Runs on one board; with FULL on both.
ways() {
  [ -n "${FULL:-}" ] || [ "$board" = mps2-an385 ] || return 0
  flags=-DAPART
  ways_firmware ways ||
    { not_ok "samples $board: two ways" "no firmware"; return; }
  "llvm-nm-$LLVM_HOST" "$folder/ways.elf" |
    awk 'tolower($2) == "t" { print tolower($1) }' >"$folder/ways.functions"
  entry=$("llvm-nm-$LLVM_HOST" "$folder/ways.elf" |
    awk '$3 == "main" { print $1 }')
  tests/samples/log.sh "$board" "$folder/ways.elf" "$folder" |
    awk -v main="$entry" '$1 == main { on = 1 } on' |
    awk -v every=7 -f tests/samples/stacks.awk "$folder/ways.functions" - \
      >"$folder/ways.stacks"
  equal "samples $board: by contexts, digest is inlined in often alone" \
    "once seldom" "$(with_profile ways-context --context)"
  # Here the target's code sizes decide.
  without=$(with_profile ways-flat)
  case $without in
    "" | once | "often once seldom") ok "samples $board: without, both alike" ;;
    *) not_ok "samples $board: without, both alike" "called in: $without" ;;
  esac
}
