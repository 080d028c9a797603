# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of line counts: random programs, whose lines a twin counts with a counter
# in each line; and shapes in which llvm-cov's lines are wrong, with each line's
# count after it. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# ---- random programs ----

ran_macros() {
  mkdir -p "$r/sys"
  for owner in OWN SYS; do
    printf '%s\n' "#define ${owner}_INC(v) v++" \
      "#define ${owner}_DO(v, w) do { if (v) w++; else v++; } while (0)" \
      "#define ${owner}_AND(v, w) ((v) && (w))" \
      "#define ${owner}_BOTH(v, w) (((v) & 1) && ((w) & 2))" \
      "#define ${owner}_BLOCK { if (x & 1) y += 2; x++; }" >"$r/$owner.h"
  done
  mv "$r/OWN.h" "$r/own.h"
  mv "$r/SYS.h" "$r/sys/sysmac.h"
}

# ran_built LLVM LANGUAGE SEED FUNCTIONS: the program and its twin ran alike.
ran_built() {
  case $2 in
    c) compiler=clang standard=-std=c11 ;;
    cpp) compiler=clang++ standard=-std=c++20 ;;
  esac
  ran_macros && python3 $here/ran/generate.py "$3" "$4" "$2" "$r" &&
    (cd "$r" && "$compiler-$LLVM_HOST" -w $standard -isystem sys twin."$2" \
      -o twin && "$compiler-$1" -w -g $standard -isystem sys \
      -fprofile-instr-generate -fcoverage-mapping -fuse-ld=lld \
      -Wl,--build-id main."$2" -o main && ./twin >twin.out &&
      LLVM_PROFILE_FILE=main.profraw ./main | cmp twin.out -)
}

# csmith_built LLVM SEED: the same for a csmith program.
csmith_built() {
  for csmith_folder in /usr/include/csmith /usr/local/include/csmith*; do
    [ -e "$csmith_folder/csmith.h" ] && break
  done
  # csmith leaves a file in the folder where it runs.
  (cd "$r" && csmith --seed "$2" --max-funcs 6 --no-volatiles) >"$r/main.c" &&
    awk -f $here/ran/lines.awk "$r/main.c" >"$r/twin.c" &&
    (cd "$r" && rm -rf platform.info &&
      "clang-$LLVM_HOST" -w -I"$csmith_folder" twin.c -o twin &&
      "clang-$1" -w -g -I"$csmith_folder" -fprofile-instr-generate \
        -fcoverage-mapping -fuse-ld=lld -Wl,--build-id main.c -o main &&
      timeout 20 ./twin >twin.out &&
      LLVM_PROFILE_FILE=main.profraw ./main | cmp twin.out -)
}

# ran_judged REPORT [OPTION...]: prints how many lines there are, and how many
# are wrong: shown as run but never ran, the contrary, another count; and how
# many are not known.
ran_judged() {
  ran_name=$1
  shift
  report "$ran_name" "$r/main" "$r/main.profraw" --lcov "$r/lcov" "$@"
  python3 $here/ran/judge.py "$r/counts" "$r/lcov" \
    "$out/$ran_name/evidence.json"
}

# wrong_lines REPORT LEAST [OPTION...]: prints wrong lines of at least LEAST
# lines. Of a program, one line of 40 may be not known; of all, it is one of 130.
wrong_lines() {
  wrong_of=$1 wrong_least=$2
  shift 2
  ran_judged "$wrong_of" "$@" | awk -v least="$wrong_least" \
    '{ print $2, $3, $4 ($1 < least ? ": only " $1 " lines" : "") \
        ($5 * 40 > $1 ? ": " $5 " of " $1 " not known" : "") }'
}

# Control: the oracle sees llvm-cov's errors.
llvm_cov_wrong() {
  wrong_lines ran-theirs 1 --as-llvm-cov |
    awk '{ print; found = $1 >= 10 && $3 >= 5 } END { exit !found }'
}

# Without the source, no line that ran is shown as not run.
without_source() {
  mv "$r/main.$1" "$r/gone.$1"
  wrong_lines ran-gone 1 --allow-missing >"$r/gone"
  mv "$r/gone.$1" "$r/main.$1"
  awk '{ print; lines++; if ($2 > 0) exit 1 } END { exit !lines }' "$r/gone" || return 1
  grep -q "^Without the text of 1 source, a line" "$out/ran-gone.said"
}

# row_ran LLVM LANGUAGE SEED FUNCTIONS LEAST
row_ran() {
  label="report what ran: $2, llvm-$1, seed $3"
  wanted "$label" && have_llvm "$1" || return 0
  r=$(source_folder "ran-$2-$1-built")
  check "$label: build" ran_built "$1" "$2" "$3" "$4"
  equal "$label: false ran, false not ran, wrong counts" "0 0 0" \
    "$(wrong_lines "ran-$2-$1" "$5")"
  check "$label: llvm-cov has some" llvm_cov_wrong
  [ "$2" = cpp ] || check "$label: without the source" without_source "$2"
}

# row_csmith LLVM SEED LEAST
row_csmith() {
  label="report what ran: csmith, llvm-$1, seed $2"
  wanted "$label" && have_llvm "$1" || return 0
  have csmith || { skip "$label" "no csmith"; return; }
  r=$(source_folder "csmith-$1-built")
  check "$label: build" csmith_built "$1" "$2"
  equal "$label: false ran, false not ran, wrong counts" "0 0 0" \
    "$(wrong_lines "csmith-$1" "$3")"
}

rows_ran() {
  row_csmith 14 1 100
  row_csmith 19 2 100
  row_csmith 22 3 100
  row_shapes 14 c
  row_shapes 19 c
  row_shapes 22 c
  row_shapes 19 cpp
  row_shapes 22 cpp
  row_lambda_after_counts
  row_line_ends
  row_ran 14 c 1 40 800
  row_ran 19 c 2 40 800
  row_ran 22 c 3 60 1200
  row_ran 22 cpp 4 60 1200
  [ -n "${FULL:-}" ] || return 0
  seed=10
  while [ $seed -lt 30 ]; do
    for ran_version in 14 19 22; do row_ran $ran_version c $seed 80 1500; done
    row_ran 19 cpp $seed 60 1000
    row_ran 22 cpp $seed 60 1000
    # The programs of seeds 11 and 15 do not end; the program of 21 has 9 lines.
    case $seed in 11 | 15) ;; *) row_csmith 22 $seed 9 ;; esac
    seed=$((seed + 1))
  done
}

# ---- shapes ----
#
# By hand: a line with the mark //=N ran N times. llvm-cov has another count in
# lines with //=N!. Lines with //=? are unknown, lines with //=- have no code.

ran_shapes() {
  cat >"$r/shapes.c" <<'EOF'
static volatile int seen;
__attribute__((noreturn, noinline)) static void stop(void) {
  for (;;)
    seen++;
}
#define CHECK(x) ((void)((x) || (stop(), 0)))
#define ENTRY(n, v) case n: return v
#define STORE(n, v) case n: seen = (v); break
#define INDEX(s, i) (((i) < 0 || (i) > 9) && (__builtin_trap(), 0), (s)[i])
static int nested(int bad) {
  {
    if (bad)
      return -1;      //=1
    seen++;           //=2
  }
  seen += 2;          //=2!
  return seen;        //=2
}
static int checked(int x) {
  CHECK(x >= 0);      //=2
  int y = x + 1;      //=2!
  return y;           //=2
}
static int twice(int n) {
  while (n--) {       //=3
    if (n == 9)
      continue;       //=0
    continue;         //=2
    seen = 8;         //=0!
  }
  if (n > 5)
    goto out;         //=0
  goto out;           //=1
  seen = 9;           //=0
out:
  return 1;           //=1
}
static int table(int c) {
  switch (c) {
    ENTRY(1, 5);      //=2
    ENTRY(2, 7);      //=0!
  }
  switch (c) {
    STORE(3, 1);      //=1
    STORE(4, 2);      //=0
  }
  return 0;           //=1
}
static int chosen(int a, int b) {
  int x = a           //=3
    ? b + 1           //=1!
    : b - 1;          //=2!
  if (a               //=3
      && b            //=1
      && seen)        //=1
    x++;              //=1
  else if (a          //=2
      || b)           //=2
    x--;              //=0
  do {
    if (x > 90)       //=3
      break;          //=0
    x++;              //=3
  } while (x < -9     //=3
      || x > 9);      //=3
  return x;           //=3
}
static int walk(const char *s) {
  int n = 0;          //=1
  while (INDEX(s, n)) //=3
    n++;              //=2
  seen++;             //=1!
  return n;           //=1
}
static int over(void) {
  if (0) {
    goto done;        //=0
  }
  goto done;          //=1
  int unused;
done:
  return 0;           //=1
}
#define NEXT() goto *ways[*text++]
static int steps(const char *text, int n) {
  static void *const ways[] = {&&end, &&up, &&down};
  NEXT();             //=1
  seen = 1;           //=0!
up:
  n++;                //=2
  if (n > 1)
    NEXT();           //=2
  seen = 2;           //=0!
  goto *ways[0];      //=0!
down:
  if (n)
    goto *ways[n > 9]; //=1
  seen = 3;           //=?
  goto *ways[0];      //=?
end:
  return n;           //=1
}
static volatile int level = 1;
__attribute__((noinline)) static int put(int x) { return seen += x; }
#define LOG_OUT(...) put_all(0, __VA_ARGS__)
#define LOG_AT(l, ...) do { if (level >= (l)) LOG_OUT(__VA_ARGS__); } while (0)
#define LOG_MORE(a, ...) LOG_AT(2, a, ##__VA_ARGS__)
#define MUST(e, m) ((e) ? (void)0 : (void)put_all(#e[0], m))
#define PICK(c, a, b) ((c) ? (a) : (b))
#define CHOOSE(...) PICK(__VA_ARGS__)
#define TWICE(a, b) do { put(a); put(b); if (level > 1) put(a); } while (0)
#define REPEAT(n, a) for (int k = 0; k < (n); k++) { put(a); }
#define PASTED(a, b) do { if (level > 1) put(a##1 + b); } while (0)
#define IS_LATE (level == 9 && seen)
#define LOG_ALIAS LOG_AT
#define LOG_LAST LOG_ALIAS
#define LOG_WITH(log, a) log(2, a)
#define LOG_MADE(n, a) do { LOG_##n(2, a); } while (0)
#define LOG_NAMED(n, a) do { NAMED(LOG_, n)(2, a); } while (0)
#define NAMED(a, b) a##b
#define DEEP(a) put(((((((((a)))))))))
#define LOG_DEEP(a) do { if (level > 1) put(((((((((a))))))))); } while (0)
#define ALL(...) __VA_ARGS__
#define ONCE(a) put(a)
__attribute__((noinline)) static int put_all(int n, ...) { return put(n); }
static int arguments(int v1) {
  LOG_AT(2,           //=1
         put(1),      //=0!
         put(2));     //=0!
  LOG_AT(1,           //=1
         put(3));     //=1
  LOG_AT(1,           //=1
         v1 ? put(13) : put(14), //=1
         seen < 0 && put(15));   //=1
  LOG_MORE(           //=1
      put(4),         //=0!
      put(5) +        //=0!
          (v1 ? 1     //=0
              : put(6)), //=0
      v1);            //=0
  MUST(               //=1
      seen >= 0,      //=1
      put(7));        //=0!
  TWICE(              //=1
      put(8),         //=1
      put(9));        //=1
  for (int i = 0; i < 3; i++)
    LOG_AT(i,         //=3
           put(i));   //=2!
  REPEAT(             //=1
      level + 2,      //=4!
      put(12))
  PASTED(v,           //=1
         put(10));    //=0!
  if (IS_LATE ||      //=1
      (v1 > 0))       //=1
    seen++;           //=1
  seen += CHOOSE(     //=1
      level == 1,     //=1
      v1,             //=1
      put(16));       //=0!
  return PICK(        //=1
      level == 1,     //=1
      v1,             //=1
      put(11));       //=0!
}
static int aliases(void) {
  LOG_LAST(2,         //=1
           put(1));   //=0!
  LOG_ALIAS(1,        //=1
            put(2));  //=1
  LOG_WITH(LOG_AT,    //=1
           put(3));   //=0!
  LOG_WITH(LOG_ALIAS, //=1
           put(4));   //=0!
  LOG_MADE(AT,        //=1
           put(5));   //=?
  LOG_NAMED(AT,       //=1
            put(6));  //=?
  LOG_DEEP(           //=1
      put(7));        //=?
  DEEP(               //=1
      put(8));        //=1
  return 1;           //=1
}
static int parts(int v1) {
  LOG_AT(1,           //=1
         v1           //=1
             ? put(1) //=1
             : put(2)); //=0!
  LOG_AT(1,           //=1
         v1 > 1       //=1
             && put(3), //=0!
         2);          //=1
  TWICE(              //=1
      v1              //=1
          || put(4),  //=0!
      v1 ?            //=1
         put(5) :     //=1
         put(6));     //=0!
  ONCE(               //=1
      v1 > 5          //=1
          ? 1         //=0!
          : v1);      //=1
  ONCE(               //=1
      v1 + (          //=1
          v1 > 5      //=?
              ? put(7) //=?
              : v1)); //=?
  ONCE(               //=1
      put_all(v1 > 5  //=1
              && v1,  //=?
              v1));   //=?
  ONCE(               //=1
      v1 > 5          //=1
          && put(8)   //=?
          && put(9)); //=?
  ONCE(               //=1
      v1              //=1
          && v1 < 5   //=1
          && v1 > 0); //=1
  ONCE(               //=1
      PICK(v1,        //=1
           put(10),   //=?
           put(11))); //=?
  LOG_AT(2,           //=1
         v1           //=0!
             ? put(3) //=0
             : put(4)); //=0
  ALL(                //=1
    if (v1 > 5)       //=1
      put(12);        //=?
    put(13));         //=?
  return 1;           //=1
}
#define DROP(a, ...) put(a)
#define DROP_TOO(a, b) DROP(a, b)
#define NAME_OF(a) put(sizeof #a > 1)
static int dropped(int a) {
  DROP(               //=1
      a,              //=1
      put(1),         //=-
      put(2) +        //=-
          a);         //=-
  DROP_TOO(           //=1
      put(3),         //=1
      put(4));        //=-
  NAME_OF(            //=1
      put(5) + a);    //=-
  if (a > 5)
    DROP(             //=0
        a,            //=0
        put(6));      //=-
  return 1;           //=1
}
#define JUMP_ASM(x) __asm__ goto("" : : "r"(x) : : out)
static int assembly(int a) {
  if (a)              //=2
    seen++;           //=1
  __asm__ goto(       //=2
      "# %0"          //=2
      : : "r"(a)      //=2
      : : out, more); //=2
  seen = 1;           //=?
  if (a)              //=?
    seen = 2;         //=1
  seen = 3;           //=?
more:
  seen = 4;           //=2
  JUMP_ASM(a);        //=2
  return 1;           //=?
out:
  return 2;           //=0
}
static int versions(int a) {
#ifdef OLD
  /* An empty line within lines that are left out, after a comment. */
  if (a < 0) {
    return 2;

  } else
#endif
  if (a > 1)          //=1
    return 3;         //=0
  return 1;           //=1
}
int main(void) {
  versions(1);
  arguments(1), aliases(), parts(1), dropped(1), assembly(0), assembly(1);
  steps("\1\1\2", 1);
  nested(0), nested(1), nested(0);
  checked(1), checked(2);
  twice(2);
  table(1), table(1), table(3);
  chosen(0, 0), chosen(1, 1), chosen(0, 0);
  walk("ab");
  return over();
}
EOF
  cat >"$r/shapes.cpp" <<'EOF'
#include <coroutine>
#include <exception>
static volatile int seen;
struct task {
  struct promise_type {
    task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() { seen = 1; }
    void unhandled_exception() { seen = 2; }
  };
};
static task waits() {
  seen = 3;           //=1
  co_await std::suspend_always{};
  seen = 4;
}
template <bool S> static int leave(int a) {
  if constexpr (S) {
    return a;         //=2
  }
  seen++;             //=3!
  return a + 1;       //=3!
}
template <bool S> static int nested(int a) {
  if (a) {            //=2
    if constexpr (S)
      return a;       //=1
    seen++;           //=0
  }
  seen--;             //=?
  return 0;           //=?
}
template <int N> static int early(int a) {
  if constexpr (N > 2)
    return N;         //=2
  if (a)              //=0
    return 1;         //=0
  seen = 2;           //=0!
  for (int i = 0;     //=0!
       i < a; i++)    //=0!
    seen--;           //=0
  if (seen == 4 || a) //=0!
    seen = 3;         //=0
  else
    seen = 4;         //=0!
  return 0;           //=0!
}
template <int N> static int again(int a) {
  while (a-- > 0) {   //=?
    if constexpr (N > 2)
      continue;       //=2
    if (a)            //=0
      seen = 5;       //=0
    seen = 6;         //=0
  }
  return 1;           //=?
}
template <int N> static int into(int a) {
  switch (a) {        //=1
  case 1:
    if constexpr (N > 2)
      return 3;       //=1
    seen = 7;         //=0
  case 2:
    seen = 8;         //=0!
    break;            //=0!
  case 3:
    seen = 9;         //=0
  }
  if (a)
    return 1;         //=0
  return 0;           //=0
}
template <class... T> static bool every(T... t) {
  return (t && ...);  //=2!
}
static int lambdas(int a) {
  auto never = [&](int q) {
    if (q)            //=0!
      return 1;       //=0!
    return a;         //=0!
  };
  auto once = [&] {
    a++;              //=1
    return 2;         //=1
  };
  (void)never;        //=1
  return once() + a;  //=1
}
static volatile int level = 1;
__attribute__((noinline)) static int put(int x) { return seen += x; }
__attribute__((noinline)) static int put_all(int n, ...) { return put(n); }
#define LOG_IF(c, ...) do { if (c) put_all(0, __VA_ARGS__); } while (0)
#define MUST(e) ((e) ? (void)0 : (void)put_all(#e[0]))
#define LOG_ALIAS LOG_IF
#define JUMP_ASM(x) __asm__ goto("" : : "r"(x) : : out)
static int arguments(int x) {
  LOG_IF(x,           //=2
         put(1),      //=1!
         put(2));     //=1!
  LOG_ALIAS(x > 1,    //=2
            put(3));  //=0!
  MUST(               //=2
      x >= 0          //=2
      or put(4));     //=0!
  MUST([&] {          //=2
    if (x)            //=?
      put(5);         //=?
    return true;      //=?
  }());
  LOG_IF(x > 1,       //=2
         [&] {        //=0!
           put(6);    //=0
           return 1;  //=0
         }());
  auto never = [&] {
    LOG_IF(           //=0!
        x,            //=0
        put(7));      //=0
  };
  (void)never;        //=2
  LOG_IF(             //=2
      x == 1,         //=2
      std::uncaught_exceptions() //=1!
          ? put(8)    //=0
          : put(9));  //=1!
  JUMP_ASM(x);        //=2
  seen = 4;           //=?
out:
  return seen;        //=2
}
static void throws(int a) {
  if (a)              //=4
    throw a;          //=4
}
static int tried(int a) {
  try {
    seen++;           //=2
    if (a > 1)        //=2
      throw a;        //=1
    seen++;           //=?
    throws(a);        //=?
    while (seen < 9)  //=?
      seen++;         //=0
  } catch (...) {
    return a;         //=2
  }
  return 0;           //=0
}
static int nested_tries(int a) {
  try {
    try {
      throws(a);      //=1
      seen++;         //=?
    } catch (int) {   //=?
      seen--;         //=1
    }
    seen++;           //=1
    throws(seen);     //=?
    seen++;           //=?
  } catch (int) {
    seen++;           //=1
  } catch (...) {
    seen = 7;         //=0
  }
  return a;           //=1
}
static int folded(int a) {
  try {
    if (sizeof a < 2) //=2
      throw a;        //=0
    a++;              //=?
  } catch (int) {
    a = 0;            //=0
  }
  seen++;             //=?
  return a;           //=?
}
static int passed(int a) {
  try {
    throws(a);        //=1
    seen++;           //=?
  } catch (float) {
    seen = 7;         //=0
  }
  return a;           //=?
}
static int returned(int a) {
  try {
    if (a > 1)        //=1
      throws(a);      //=0
    return a;         //=1
  } catch (int) {
    a = 0;            //=0
  }
  return a;           //=0
}
int main() {
  arguments(0), arguments(1);
  tried(1), tried(2), nested_tries(1), folded(1), folded(2), returned(1);
  try { passed(1); } catch (...) {}
  leave<true>(1), leave<true>(1);
  leave<false>(1), leave<false>(0), leave<false>(0);
  nested<true>(0), nested<true>(1);
  waits();
  early<3>(0), early<3>(1);
  again<3>(2);
  into<3>(1);
  every(1, 2, 3), every(0, 1, 1);
  lambdas(1);
  return seen == 99;
}
EOF
}

# marks SOURCE LCOV [WRONG]: prints lines whose count differs from the mark;
# with WRONG, lines in which llvm-cov should be wrong, and is not.
marks() {
  awk -v wrong="${3-}" -F '[:,]' '
    NR == FNR {
      if (match($0, /\/\/=(-|[0-9]+)/)) {
        want[FNR] = substr($0, RSTART + 3, RLENGTH - 3)
        sub(/-/, "", want[FNR])
      }
      theirs[FNR] = /\/\/=[0-9]+!/
      next
    }
    /^DA:/ { got[$2] = $3 }
    END {
      for (line in want)
        if (wrong ? theirs[line] && got[line] == want[line] \
                  : got[line] != want[line])
          print line ": " got[line] " for " want[line]
    }' "$1" "$2" | sort -n
}

# Prints branches that ran, in lines that never ran.
branches_of_zeros() {
  awk -F '[:,]' '
    NR == FNR { never[FNR] = /\/\/=0/; next }
    /^BRDA:/ && never[$2] && $5 > 0' "$1" "$2"
}

# Prints lines that count with --lines code but have no code, or have a mark but
# do not count, among the lines that count without it.
code_lines() {
  awk -F '[:,]' '
    FILENAME == ARGV[1] { bare[FNR] = !/[a-z0-9]/ || /^ *} else {?$/ ||
      /^ *do {$/; mark[FNR] = /\/\/=/; next }
    /^DA:/ && FILENAME == ARGV[2] { all[$2] = 1 }
    /^DA:/ && FILENAME == ARGV[3] { left[$2] = 1 }
    END {
      for (line in all)
        if (line in left ? bare[line] : mark[line])
          print line ": " (line in left)
    }' "$r/shapes.$2" "$r/lcov" "$r/code" | sort -n
}

row_shapes() {
  label="report what ran: shapes of $2, llvm-$1"
  wanted "$label" && have_llvm "$1" || return 0
  r=$(source_folder "shapes-$2-$1-built")
  ran_shapes
  case $2 in
    c) compiler=clang-$1 standard=-std=c11 ;;
    cpp) compiler=clang++-$1 standard=-std=c++20 ;;
  esac
  check "$label: build" sh -c "cd '$r' && $compiler -w -g $standard \
    -fprofile-instr-generate -fcoverage-mapping -fuse-ld=lld -Wl,--build-id \
    shapes.$2 -o main && LLVM_PROFILE_FILE=main.profraw ./main"
  check "$label: a report" good "shapes-$2-$1" "$r/main" "$r/main.profraw" \
    --lcov "$r/lcov"
  equal "$label: by hand" "" "$(marks "$r/shapes.$2" "$r/lcov")"
  [ "$2" = c ] || check "$label: a coroutine may wait for ever" \
    grep -q '^The firmware has a coroutine: where that' "$out/shapes-cpp-$1.said"
  [ "$2" = c ] || equal "$label: branches of lines that never ran" "" \
    "$(branches_of_zeros "$r/shapes.$2" "$r/lcov")"
  # Lines with a mark have code; other lines are heads, declarations, calls.
  check "$label: with --lines code" good shapes-code "$r/main" \
    "$r/main.profraw" --lines code --lcov "$r/code"
  equal "$label: it leaves out lines without code" "" "$(code_lines "$@")"
  check "$label: with --as-llvm-cov" good "shapes-theirs" "$r/main" \
    "$r/main.profraw" --as-llvm-cov --lcov "$r/theirs"
  equal "$label: what is not known" \
    "$(grep -n '//=?' "$r/shapes.$2" | cut -d : -f 1 | one_line)" \
    "$(known_of "shapes-$2-$1" | tr ' ' '\n' | sed -n 's/:lines$//p' |
      sort -n | one_line)"
  # Other releases are wrong in other lines.
  [ "$1" -lt 22 ] || equal "$label: where llvm-cov is wrong" "" \
    "$(marks "$r/shapes.$2" "$r/theirs" wrong)"
}

# The text of a lambda far after the last counted line.
row_lambda_after_counts() {
  label="report what ran: a lambda after all counted code"
  wanted "$label" || return 0
  r=$(source_folder lambda-after-built)
  awk 'BEGIN {
    print "int main(void) { return 0; }\n#if 0"
    for (i = 0; i < 400000; i++) print "x"
    print "int y = [](int a) { return a; }(1);\n#endif"
  }' >"$r/after.c"
  check "$label: build" sh -c "cd '$r' && clang-22 -w -g \
    -fprofile-instr-generate -fcoverage-mapping -Wl,--build-id after.c \
    -o main && LLVM_PROFILE_FILE=main.profraw ./main"
  check "$label: a report" good lambda-after "$r/main" "$r/main.profraw" \
    --lcov "$r/lcov"
  equal "$label: its count" DA:1,1 "$(records DA "$r/lcov")"
}

# Comments and strings end where their lines do, with any line end. Line 3 is the
# rest of a string, so no token begins there.
row_line_ends() {
  label="report what ran: lines that end with"
  for name in cr crlf lf; do
    wanted "$label $name" || continue
    r=$(source_folder "line-ends-$name-built")
    case $name in cr) ending='\r' ;; crlf) ending='\r\n' ;; *) ending='\n' ;; esac
    printf "%s$ending" 'static int f(int a) { // first' '  const char *s = "a\' \
      '(b"; // (' '  if (a)' '    return *s;' '  return 2;' '}' \
      'int main(void) {' '  return f(0) == 1;' '}' >"$r/$name.c"
    check "$label $name: build" sh -c "cd '$r' && clang-22 -w -g \
      -fprofile-instr-generate -fcoverage-mapping -Wl,--build-id $name.c \
      -o main && LLVM_PROFILE_FILE=main.profraw ./main"
    check "$label $name: a report" good "line-ends-$name" "$r/main" \
      "$r/main.profraw" --lines code --lcov "$r/lcov"
    equal "$label $name: their counts" \
      "DA:2,1 DA:4,1 DA:5,0 DA:6,1 DA:9,1" \
      "$(grep ^DA: "$r/lcov" | one_line | sed 's/ $//')"
  done
}
