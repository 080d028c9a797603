# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Mutations: records of a table, and a copy of the tree to apply one at a time
# in. `apply` and tests/qualification/record source it, behind tests/lib.sh and
# in the top folder, with $work set: the name of a folder in $BUILD.
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

# split TABLE [PATTERN]: the chosen records to $work/N.in, .old, .new, .by, and
# $work/N.of from a line `of` in front of these; prints how many.
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

# how_often FILE TEXT: how often it is there.
how_often() {
  TEXT=$2 awk '{
      rest = $0
      while (at = index(rest, ENVIRON["TEXT"])) {
        n++
        rest = substr(rest, at + length(ENVIRON["TEXT"]))
      }
    } END { print n + 0 }' "$1"
}

# place FILE TEXT: the file in which the text is, once: that one, or, should
# the text have moved, the one that has it.
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

# All but what was built: that stays, for the next time.
copy() {
  mkdir -p "$tree/build"
  for old in "$tree"/* "$tree"/.[!.]*; do
    [ "$old" = "$tree/build" ] || rm -rf "$old"
  done
  for file in * .clang-format; do
    case $file in build | "${BUILD%%/*}") ;; *) cp -a "$file" "$tree/" ;; esac
  done
  # What is built already is as old here as its sources.
  for made in "$BUILD"/tool* "$BUILD"/native "$BUILD"/llvm-*; do
    [ ! -d "$made" ] || [ -e "$tree/build/${made##*/}" ] ||
      cp -a "$made" "$tree/build/"
  done
  # An earlier run may have left objects of mutations. Only the tiers that run
  # make them anew, so each run touches all of these files.
  sort -u "$work/mutated" -o "$work/mutated" 2>/dev/null || : >"$work/mutated"
  (cd "$tree" && xargs -r touch -c) <"$work/mutated"
}

# Whether the file compiles without a warning: else the mutation is none.
compiles() {
  case $1 in
    runtime/arch/sampler.*) (cd "$tree" && "clang-${LLVM_HOST:-22}" \
      --target=thumbv8m.main-none-eabi -Iinclude -Iruntime -c \
      "$1" -o /dev/null)
      return ;;
    runtime/tiny_send.h) compiles "${1%send.h}binary.c"
      return ;;
    runtime/* | include/*) set -- "$1" --target=thumbv7m-none-eabi \
      -ffreestanding ;;
    tools/cmd/explain.c | tools/trace/plugin.c) return 0 ;; # of made files
    *.[ch]) set -- "$1" -D_POSIX_C_SOURCE=200809L -DBAREPROF_FOREIGN ;;
    *) return 0 ;;
  esac
  (cd "$tree" && "clang-${LLVM_HOST:-22}" -x c -std=c11 -Wall -Wextra \
    -Wpedantic -Wshadow -Werror -Wno-unused-function \
    -Wno-unused-const-variable \
    -Iinclude -Iruntime -Itools -fsyntax-only "$@")
}

# run_case TIER [NAME]: in the copy, its checks to $work/checks. NAME may be
# several, with | between.
run_case() {
  (
    cd "$tree" || exit 1
    # The libraries of the copy are not ready, they change.
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

# noticed COUNT: what the case has noticed: a check that fails, or that it did
# not come to its end, of as many checks. Nothing, if it is as before.
noticed() {
  if grep -aq '^not ok ' "$work/checks"; then
    grep -am 1 '^not ok ' "$work/checks" | cut -c8-100
  elif grep -aqx 'status 124' "$work/log"; then
    echo "it hangs"
  elif [ "$(grep -ac '^ok ' "$work/checks")" -lt "$1" ]; then
    echo "it breaks off: $(grep -am 1 '^not ok ' "$work/log" | cut -c8-100)"
  fi
}

# mutate FILE: with $work/$number.old and .new.
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

# restore FILE: as it was before the last mutation.
restore() { cat "$work/old" >"$tree/$1"; }
