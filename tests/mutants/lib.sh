# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads mutations from records of a table, and applies one at a time in a copy
# of the tree. `apply` and tests/qualification/record source this file after
# tests/lib.sh, in the top folder, with $work set to the name of a folder in
# $BUILD.
#
# A record of a table ends with an empty line:
#   in FILE      the file
#   - TEXT       within a line of it, once
#   + TEXT       in its place
#   by TIER [NAME]   the tier, or its checks with NAME in their label; of
#                    several tiers, with commas, the first that notices

case $BUILD in
  /*) work=$BUILD/$work ;;
  *) work=$PWD/$BUILD/$work ;;
esac
tree=$work/tree

# ---- the table ----

# split TABLE [PATTERN]: writes the chosen records to $work/N.in, .old, .new,
# .by, and $work/N.of from a line `of` before these; prints how many.
split() {
  rm -f "$work"/[0-9]*.*
  awk -v pattern="${2-}" -v work="$work" '
    function put(end, text) {
      print text >(work "/" n end)
      close(work "/" n end)
    }
    function done() {
      if (by != "" && (pattern == "" || all ~ pattern)) {
        n++
        put(".in", file)
        put(".old", old)
        put(".new", new)
        put(".by", by)
        put(".of", of)
      }
      by = all = ""
    }
    /^#/ { next }
    /^$/ { done(); next }
    { all = all "\n" $0 }
    /^of / { of = substr($0, 4) }
    /^in / { file = substr($0, 4) }
    /^- / { old = substr($0, 3) }
    /^\+ / { new = substr($0, 3) }
    /^by / { by = substr($0, 4) }
    END { done(); print n + 0 }' "$1"
}

# how_often FILE TEXT: prints how often the text occurs.
how_often() {
  TEXT=$2 awk '{
      rest = $0
      while (at = index(rest, ENVIRON["TEXT"])) {
        n++
        rest = substr(rest, at + length(ENVIRON["TEXT"]))
      }
    } END { print n + 0 }' "$1"
}

# place FILE TEXT: prints the file that has the text exactly once: FILE or, if
# the text has moved, another file.
place() {
  if [ -f "$1" ] && [ "$(how_often "$1" "$2")" = 1 ]; then
    echo "$1"
    return
  fi
  place_file=$(grep -rlF -e "$2" runtime tools include)
  if [ -f "$place_file" ] && [ "$(how_often "$place_file" "$2")" = 1 ]; then
    echo "$place_file"
  elif [ -z "$place_file" ]; then
    echo "the text is nowhere"
    return 1
  else
    echo "the text is in several places: $(echo "$place_file" | one_line)"
    return 1
  fi
}

# ---- the copy ----

# Copies sources only: built files stay for the next time.
copy() {
  mkdir -p "$tree/build"
  for old in "$tree"/* "$tree"/.[!.]*; do
    [ "$old" = "$tree/build" ] || rm -rf "$old"
  done
  for file in * .clang-format; do
    case $file in build | "${BUILD%%/*}") ;; *) cp -a "$file" "$tree/" ;; esac
  done
  # Built files are as old here as their sources.
  for made in "$BUILD"/tool* "$BUILD"/native "$BUILD"/llvm-*; do
    [ ! -d "$made" ] || [ -e "$tree/build/${made##*/}" ] ||
      cp -a "$made" "$tree/build/"
  done
  # An earlier run may have left objects of mutations. Only tiers that run
  # rebuild them, so each run touches all mutated files.
  sort -u "$work/mutated" -o "$work/mutated" 2>/dev/null || : >"$work/mutated"
  (cd "$tree" && xargs -r touch -c) <"$work/mutated"
}

# Succeeds if the file compiles without a warning: else the mutation is invalid.
compiles() {
  # A file that the build makes is not in the copy.
  ! grep -q '^#include ".*\.inc"' "$tree/$1" || return 0
  case $1 in
    runtime/arch/sampler.*) (cd "$tree" && "clang-${LLVM_HOST:-22}" \
      --target=thumbv8m.main-none-eabi -Iinclude -Iruntime -c \
      "$1" -o /dev/null)
      return ;;
    runtime/tiny_send.h) compiles "${1%send.h}binary.c"
      return ;;
    runtime/* | include/*) set -- "$1" --target=thumbv7m-none-eabi \
      -ffreestanding ;;
    *.[ch]) set -- "$1" -D_POSIX_C_SOURCE=200809L -DBAREPROF_FOREIGN ;;
    *) return 0 ;;
  esac
  (cd "$tree" && "clang-${LLVM_HOST:-22}" -x c -std=c11 -Wall -Wextra \
    -Wpedantic -Wshadow -Werror -Wno-unused-function \
    -Wno-unused-const-variable \
    -Iinclude -Iruntime -Itools -fsyntax-only "$@")
}

# run_case TIER [NAME]: runs a case in the copy, with its checks in
# $work/checks. NAME may be several, with | between.
run_case() {
  (
    cd "$tree" || exit 1
    # The copy's libraries change, so LIBRARY_READY must not be set.
    unset FULL LLVM MAKEFLAGS LIBRARY_READY
    CASE=${2-} BUILD=build timeout "${LIMIT:-900}" "tests/$1/run" 2>&1
    echo "status $?"
  ) >"$work/log"
  NAME=${2-} awk '
    BEGIN { count = split(ENVIRON["NAME"], name, "|") }
    /^(ok|not ok|skip) / {
      found = !count
      for (i = 1; i <= count; i++) found = found || index($0, name[i])
      if (found) print
    }' "$work/log" >"$work/checks"
}

# noticed COUNT: prints how the case noticed the mutation: a check that fails,
# or fewer than COUNT checks. Prints nothing if all is as before.
noticed() {
  if grep -aq '^not ok ' "$work/checks"; then
    grep -am 1 '^not ok ' "$work/checks" | cut -c8-100
  elif grep -aqx 'status 124' "$work/log"; then
    echo "it hangs"
  elif [ "$(grep -ac '^ok ' "$work/checks")" -lt "$1" ]; then
    echo "it breaks off: $(grep -am 1 '^not ok ' "$work/log" | cut -c8-100)"
  fi
}

# mutate FILE: replaces $work/$number.old with .new.
mutate() {
  echo "$1" >>"$work/mutated"
  OLD=$(cat "$work/$number.old") NEW=$(cat "$work/$number.new") awk '{
      at = index($0, ENVIRON["OLD"])
      if (at)
        $0 = substr($0, 1, at - 1) ENVIRON["NEW"] \
          substr($0, at + length(ENVIRON["OLD"]))
      print
    }' "$tree/$1" >"$work/new" && cp "$tree/$1" "$work/old" &&
    cat "$work/new" >"$tree/$1"
}

# restore FILE: undoes the last mutation.
restore() { cat "$work/old" >"$tree/$1"; }
