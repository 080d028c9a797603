# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Lua, which apt fetches, and sqlite, from the folder SQLITE, run in single
# steps: branches of real programs. Our profiles have all lines of
# llvm-profgen's, in the same order; they have more only where clang has merged
# tails of functions. `run` sources this file with FULL only.

# program_objects NAME FOLDER FLAG... SOURCE...: compiles, and lists the names
# of functions.
program_objects() {
  program=$folder/$1
  mkdir -p "$program.objects"
  shift
  # shellcheck disable=SC2086 # Several flags.
  (cd "$program.objects" && "clang-$LLVM_HOST" -O1 -g1 -w $probed \
    -funique-internal-linkage-names -c "$@") &&
    "clang-$LLVM_HOST" -static -fuse-ld=lld "$program.objects"/*.o -lm \
      -o "$program" || return
  "llvm-nm-$LLVM_HOST" "$program.objects"/*.o |
    awk 'NF == 3 && tolower($2) == "t" { print $3 }' >"$program.names"
  own_instructions "$program" "$program.names" >"$program.listing"
}

# The library has a function check_match, too.
lua_objects() {
  ( . tests/hosted/real.sh && real_fetch lua5.4 && cd "$REAL/lua5.4/src" &&
    ls "$PWD"/*.c ) >"$folder/lua.sources" 2>"$folder/said" || return
  cat >"$folder/work.lua" <<'END'
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
local t, s, n = {}, {}, fib(5)
for i = 1, 60 do t[i] = i * 7919 % 1009 end
table.sort(t, function(a, b) return a < b end)
for i, v in ipairs(t) do s[#s + 1] = string.format("%d:%s", i, v) end
for w in table.concat(s, " "):gmatch("%d+:(%d+)") do n = n + w end
END
  # shellcheck disable=SC2046 # Words.
  program_objects lua -DLUA_USE_POSIX -Dcheck_match=check_a_match \
    $(grep -v /luac.c "$folder/lua.sources")
}

sqlite_objects() {
  cat >"$folder/work.c" <<'END'
#include "sqlite3.h"
int main(void) {
  sqlite3 *base;
  return sqlite3_open(":memory:", &base) ||
         sqlite3_exec(base,
                      "create table t(a integer primary key, b text);"
                      "with recursive n(x) as (select 1 union all"
                      " select x + 1 from n where x < 40)"
                      " insert into t select x, 'x' || x * 7919 % 101 from n;"
                      "select sum(a), max(b), count(distinct substr(b, 2))"
                      " from t group by a % 3 order by 2;",
                      0, 0, 0);
}
END
  program_objects sqlite -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_THREADSAFE=0 \
    -I"$SQLITE" "$SQLITE/sqlite3.c" "$folder/work.c"
}

# program_walk NAME WORD...
program_walk() {
  program=$folder/$1
  shift
  "$folder/step" "$program.listing" 97 32 "$program.perf" - "$program" "$@"
}

# Prints the lines that only llvm-profgen has; then how many more bareprof has,
# and the total.
program_more() {
  diff "$folder/theirs" "$folder/ours" | grep '^<' | head -3
  awk 'NR == FNR { theirs++; next }
    END { print FNR - theirs, "of", theirs
      exit FNR - theirs > theirs / 100 || theirs < 10000 }' \
    "$folder/theirs" "$folder/ours" >"$folder/more" || cat "$folder/more"
}

program_same() {
  theirs "$1" --perfscript="$folder/$1.perf" && ranges_of "$1" "$1.perf" &&
    ours "$1" "$1.perf.ranges" || return
  equal "samples programs, $1: functions as llvm-profgen has them" "" \
    "$(program_more)"
  # shellcheck disable=SC2086 # Several options.
  theirs "$1" --perfscript="$folder/$1.perf.stacks" $own_contexts \
    --csprof-merge-cold-context=0 &&
    ranges_of "$1" "$1.perf.stacks" --use-offset=0 &&
    ours "$1" "$1.perf.stacks.ranges" --offset=0 --context || return
  equal "samples programs, $1: contexts as llvm-profgen has them" "" \
    "$(program_more)"
}

real_programs() {
  check "samples programs: Lua" lua_objects &&
    check "samples programs: Lua, by steps" program_walk lua \
      "$folder/work.lua" &&
    program_same lua
  [ -n "${SQLITE:-}" ] || return 0
  check "samples programs: sqlite" sqlite_objects &&
    check "samples programs: sqlite, by steps" program_walk sqlite &&
    program_same sqlite
}
