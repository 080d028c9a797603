# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests `bareprof order`: orders known by hand, touched pages compared with
# llvm-profdata's order, and linkers with our lists. `run` sources this file.

BAREPROF=$BUILD/bareprof
WORK=$OUT/ordered

# traces FILE WEIGHT CALLS...: writes a profile of functions a to h.
traces() {
  file=$1
  shift
  {
    printf ':ir\n:temporal_prof_traces\n%d\n%d\n' $(($# / 2)) $(($# / 2))
    while [ $# -gt 0 ]; do
      printf '%s\n%s\n' "$1" "$2"
      shift 2
    done
    for name in a b c d e f g h; do
      printf '%s\n1\n1\n1\n\n' $name
    done
  } >"$file"
}

# ours ARGUMENTS...: prints only the functions, in one line.
ours() {
  "$BAREPROF" order "$@" 2>"$WORK/errors" >"$WORK/out" ||
    { cat "$WORK/errors"; return 1; }
  grep -v '^#' "$WORK/out" | tr '\n' ' '
}

# ---- known by hand ----

# The weights are 1 and 3. Logarithms of places 1 to 5 are 0, 1, 1.58, 2 and
# 2.32; a function without a call has the place after the end, 5 and 4.
#   a: 0 + 3 x 1.58, b: 1 + 3 x 2, c: 1.58 + 3 x 1, d: 2 + 0
means() {
  traces "$WORK/one" 1 a,b,c,d 3 d,c,a
  equal_text "$(ours "$WORK/one")" "d c a b " || return
  traces "$WORK/one" 1 a,b,c,d 1 d,c,a
  equal_text "$(ours "$WORK/one")" "a d c b "
}

# One run gives its own order, and so do many runs that agree: 300 functions in
# any order, twice, and the first 40 of them.
agreement() {
  awk -v seed="$1" -v expected="$WORK/expected" 'BEGIN {
    srand(seed)
    for (i = 0; i < 300; i++) {
      j = int(rand() * (i + 1))
      names[i] = names[j]
      names[j] = "f" i
    }
    for (i = 0; i < 300; i++) {
      line = line names[i] ","
      printf "%s ", names[i] >expected
    }
    begin = substr(line, 1, index(line, names[40] ",") - 1)
    print ":ir\n:temporal_prof_traces\n3\n3"
    print "5\n" line "\n1\n" line "\n2\n" begin
    for (i = 0; i < 300; i++)
      print "f" i "\n1\n1\n1\n"
  }' >"$WORK/one"
  equal_text "$(ours "$WORK/one")" "$(cat "$WORK/expected")"
}

# A weight repeats the file, and the order of files does not matter.
weights() {
  traces "$WORK/one" 1 a,b,c,d,e,f,g,h 2 h,d,a,g
  traces "$WORK/two" 1 g,h,e,b
  traces "$WORK/three" 2 c,f,d,a
  printf '2,%s\n%s\n' "$WORK/one" "$WORK/three" >"$WORK/list"
  expected=$(ours "$WORK/one" "$WORK/one" "$WORK/two" "$WORK/two" "$WORK/two" \
    "$WORK/three") || return
  equal_text "$(ours --input-files="$WORK/list" \
    --weighted-input=3,"$WORK/two")" "$expected" || return
  equal_text "$(ours "$WORK/two" --weighted-input=2,"$WORK/two" "$WORK/three" \
    "$WORK/one" "$WORK/one")" "$expected" || return
  [ "$expected" != "$(ours "$WORK/one" "$WORK/two" "$WORK/three")" ]
}

# A profile keeps 100 traces, but these 150 profiles have one each.
many_files() {
  i=0
  while [ $((i += 1)) -le 150 ]; do
    printf ':ir\n:temporal_prof_traces\n1\n1\n1\nf%d,g,f%d\n' $i $((i + 1))
    for name in f$i f$((i + 1)) g; do
      printf '%s\n1\n1\n1\n\n' $name
    done
  done | awk -v to="$WORK/many-" '/^:ir/ { n++ } { print >(to n) }'
  equal_text "$(ours "$WORK"/many-* | wc -w)" 152 &&
    grep -q 'Different runs: 150\.' "$WORK/out"
}

# Messages name what a file lacks, and functions without a name.
lost() {
  traces "$WORK/one" 1 a,b 1 b,stranger
  awk '/^:temp/ { n = NR } n && NR == n + 2 { $0 = 50 } { print }' \
    "$WORK/one" >"$WORK/few"
  equal_text "$(ours "$WORK/few" "$WORK/one")" "a b " &&
    grep -q 'few: traces cover 2 of 50 runs' "$WORK/errors" &&
    grep -q 'functions have no name in the profile: 2$' "$WORK/errors" ||
    { cat "$WORK/errors"; return 1; }
}

# Equal traces of more than 100 runs become one. No run is lost then.
joined() {
  traces "$WORK/many" $(yes 1 b,a | head -n 101)
  equal_text "$(ours "--weighted-input=3,$WORK/many")" "b a " || return
  [ ! -s "$WORK/errors" ] || { cat "$WORK/errors"; return 1; }
}

# Local names lose their files, for each release; two may become the same.
locals() {
  printf ':ir\n:temporal_prof_traces\n1\n1\n1\nx.c;f,g,y.c;f,dir/z.c;h\n' \
    >"$WORK/one"
  for name in 'x.c;f' g 'y.c;f' 'dir/z.c;h'; do
    printf '%s\n1\n1\n1\n\n' "$name"
  done >>"$WORK/one"
  sed 's/;/:/g' "$WORK/one" >"$WORK/two"
  equal_text "$(ours "$WORK/one")" "f g h " &&
    grep -q 'ambiguous function names: 1, such as f;' \
      "$WORK/errors" &&
    grep -A1 '^# The next is' "$WORK/out" | grep -q '^f$' &&
    equal_text "$(ours "$WORK/one" "$WORK/two")" "f g h " &&
    grep -q 'Different runs: 1\.' "$WORK/out"
}

by_hand() {
  check "profile order: means by hand" means
  for seed in 1 2 3; do
    check "profile order: runs that agree, $seed" agreement $seed
  done
  check "profile order: weights, and any order of files" weights
  check "profile order: more runs than a profile keeps" many_files
  check "profile order: what is lost is said" lost
  check "profile order: equal traces cover all runs" joined
  check "profile order: local names" locals
}

# ---- next to llvm-profdata ----

# Compares the functions with llvm-profdata's, and appends their touched pages
# over time to a list, in percent of llvm-profdata's order.
touched() {
  awk -v page="$1" -f $HERE/touched.awk "$2" "$WORK/runs"
}

measure() {
  awk -v functions="$1" -v features="$2" -v runs="$3" -v noise="$4" \
    -v seed="$5" -f $HERE/runs.awk >"$WORK/runs"
  llvm-profdata-$LLVM_HOST order "$WORK/runs" | grep -v '^#' >"$WORK/theirs" &&
    "$BAREPROF" order "$WORK/runs" | grep -v '^#' >"$WORK/ours" &&
    sort "$WORK/ours" >"$WORK/names" || return 1
  sort "$WORK/theirs" | cmp - "$WORK/names" || return 1
  for page in 256 4096; do
    echo "$page $(touched $page "$WORK/ours") $(touched $page "$WORK/theirs")" \
      "$(touched $page "$WORK/names")" >>"$WORK/pages"
  done
}

# On average the order touches no more pages than llvm-profdata's (an order by
# means only: 4 to 7 percent more), and never more than the order of names.
quality() {
  : >"$WORK/pages"
  measure 400 30 40 0.1 1 && measure 400 30 3 0.1 2 &&
    measure 800 40 10 0.2 3 && measure 400 5 40 0 4 &&
    measure 1200 60 60 0.3 5 || return 1
  awk '{ ratio[$1] += $2 / $3; of_names[$1] += $2 / $4; count[$1]++
      if ($2 >= $4) { print "worse than no order: " $0; wrong = 1 } }
    END { for (page in ratio) {
        part = ratio[page] / count[page]
        printf "%d-byte pages: %.3f of llvm-profdata, %.3f of names; ", page,
          part, of_names[page] / count[page]
        if (part > 1) wrong = 1
      }
      exit wrong }' "$WORK/pages"
}

# pages_of PROGRAM PROFILE...: prints the pages of these runs, in our order and
# in llvm-profdata's, with the functions' real sizes.
pages_of() {
  llvm-nm-$LLVM_HOST -S -t d "$1" >"$WORK/sizes"
  shift
  llvm-profdata-$LLVM_HOST merge "$@" -o "$WORK/profile" \
    --temporal-profile-max-trace-length=100000 &&
    llvm-profdata-$LLVM_HOST merge --text "$WORK/profile" | grep -v '^#' \
      >"$WORK/runs" &&
    llvm-profdata-$LLVM_HOST order "$WORK/profile" >"$WORK/theirs" &&
    "$BAREPROF" order "$WORK/profile" >"$WORK/ours" || return 1
  for list in ours theirs; do
    awk -v page=4096 -v sizes="$WORK/sizes" -f $HERE/touched.awk \
      "$WORK/$list" "$WORK/runs"
  done | xargs echo
}

# no_more: compares the means of both orders. On real programs either order may
# be better by 3 %.
no_more() {
  awk '{ ours += $1; theirs += $2 }
    END {
      printf "%s pages, %s by llvm-profdata\n", ours / NR, theirs / NR
      exit !(ours > 0 && ours <= 1.05 * theirs)
    }'
}

lua_quality() {
  mkdir -p "$WORK/lua"
  (
    . tests/hosted/real.sh && real_fetch lua5.4 || exit
    for source in "$REAL"/lua5.4/src/*.c; do
      [ "${source##*/}" = luac.c ] || clang-$LLVM_HOST -O1 -w -DLUA_USE_POSIX \
        -fprofile-generate -mllvm -pgo-temporal-instrumentation -c "$source" \
        -o "$WORK/lua/${source##*/}.o" || exit
    done
  ) >"$WORK/why" 2>&1 && clang-$LLVM_HOST -fprofile-generate "$WORK"/lua/*.o -lm \
    -fuse-ld=lld -o "$WORK/lua/lua" || { cat "$WORK/why"; return 1; }
  while read -r line; do
    LLVM_PROFILE_FILE="$WORK/lua/%p.profraw" "$WORK/lua/lua" -e "$line" \
      >"$WORK/why" 2>&1 || { cat "$WORK/why"; return 1; }
  done <<END
print(1)
local t = {} for i = 1, 99 do t[i] = ("%d"):rep(i) end table.sort(t)
function f(n) return n < 2 and n or f(n - 1) + f(n - 2) end print(f(9))
for i in coroutine.wrap(function() coroutine.yield(5) end) do print(i) end
print(math.floor(7.5), 7 // 2, 5 ~ 3, string.pack("i4", 7):len())
print(pcall(error, "x"), load("return 1 +"), ("a b"):gsub("%a", "%0%0"))
END
  pages_of "$WORK/lua/lua" "$WORK"/lua/*.profraw | no_more
}

# Tests the tool itself, with runs of its commands. One set of runs proves
# little, so each run is left out once.
tool_quality() {
  $MAKE -s -j "$JOBS" tool BUILD="$WORK/self" HOST_CC=clang-$LLVM_HOST HOST_CFLAGS="-O2 \
    -fprofile-generate -mllvm -pgo-temporal-instrumentation" \
    >"$WORK/why" 2>&1 || { cat "$WORK/why"; return 1; }
  self=$WORK/self/bareprof file=$WORK/self/runs
  cp "$WORK/runs" "$file"
  while read -r words; do
    # shellcheck disable=SC2086 # Words.
    LLVM_PROFILE_FILE="$WORK/self/%p.profraw" "$self" $words >"$WORK/why" 2>&1
  done <<END
merge $file -o $file.merged
show $file
show $file --json --all-functions
overlap $file $file
order $file
doctor $self
probes $self
receive $file -o $file.dump
show --help
END
  for left_out in "$WORK"/self/*.profraw; do
    # shellcheck disable=SC2046 # Names of ours.
    pages_of "$self" $(ls "$WORK"/self/*.profraw | grep -v "$left_out")
  done | no_more
}

# ---- linkers ----

NAMES="main begin hot cold _ZN4deep5Class4workIlEEiT_
  _ZN12_GLOBAL__N_15localEi odd<int>,x _Z5otheri last"

# compile FLAGS...: compiles both files.
compile() {
  clang++-$LLVM_HOST "$@" -O1 -w -c $HERE/traced.cpp -o "$WORK/one.o" &&
    clang++-$LLVM_HOST "$@" -O1 -w -DOTHER -c $HERE/traced.cpp -o "$WORK/other.o"
}

compile_for() { compile "--target=$1" -fno-exceptions -ffunction-sections; }

# Makes a program of this machine, and the profile of one run.
make_traced() {
  compile -fprofile-generate -mllvm -pgo-temporal-instrumentation &&
    clang++-$LLVM_HOST -fprofile-generate "$WORK/one.o" "$WORK/other.o" \
      -o "$WORK/traced" && LLVM_PROFILE_FILE=$WORK/traced.profraw "$WORK/traced"
}

# in_image NM ELF: prints the functions of the list, and one that never ran, in
# the order of addresses.
in_image() {
  "$1" -n "$2" | awk -v names="$NAMES never" '
    BEGIN { count = split(names, list); for (i in list) wanted[list[i]] = 1 }
    $3 in wanted && !($3 in seen) { seen[$3] = 1; printf "%s ", $3 }'
}

# The last one never ran: linkers differ on its place.
ordered_image() {
  equal_text "$(in_image "$1" "$2" | sed 's/never //')" \
    "$(echo $NAMES) "
}

order_of_program() {
  equal_text "$(ours "$WORK/traced.profraw")" "$(echo $NAMES) "
}

link_lld() {
  "$BAREPROF" order "$WORK/traced.profraw" >"$WORK/list" 2>/dev/null &&
    compile_for "$1" || return 1
  ld.lld-$LLVM_HOST -e main "$WORK/other.o" "$WORK/one.o" -o "$WORK/plain.elf" &&
    ld.lld-$LLVM_HOST -e main --fatal-warnings --symbol-ordering-file="$WORK/list" \
      "$WORK/other.o" "$WORK/one.o" -o "$WORK/linked.elf" || return 1
  ! ordered_image llvm-nm-$LLVM_HOST "$WORK/plain.elf" >/dev/null ||
    { echo "that is the order without a list"; return 1; }
  ordered_image llvm-nm-$LLVM_HOST "$WORK/linked.elf"
}

link_script() {
  "$BAREPROF" order --format=gnu-ld "$WORK/traced.profraw" \
    >"$WORK/order.ld" 2>/dev/null && compile_for "$1" || return 1
  printf 'SECTIONS { .text : { INCLUDE order.ld\n *(.text .text.*) } }\n' \
    >"$WORK/script.ld"
  "$2" -e main -L "$WORK" -T "$WORK/script.ld" $3 "$WORK/other.o" \
    "$WORK/one.o" -o "$WORK/linked.elf" && ordered_image "$4" "$WORK/linked.elf"
}

# The list has only functions of the image, which may have more functions of a
# name than the profile, such as the other file's.
in_elf() {
  "$BAREPROF" order "$WORK/traced.profraw" >"$WORK/list" 2>/dev/null &&
    compile_for thumbv7m-none-eabi || return 1
  equal_text "$(ours "$WORK/traced.profraw" --elf "$WORK/other.o")" \
    "_ZN12_GLOBAL__N_15localEi _Z5otheri " || return
  equal_text "$(ours "$WORK/traced.profraw" --elf "$WORK/linked.elf")" \
    "$(echo $NAMES) " || return
  grep -q 'ambiguous function names: 1, such as .*local' "$WORK/errors" ||
    { echo "of two functions one is not said"; return 1; }
  llvm-objcopy-$LLVM_HOST --strip-all "$WORK/linked.elf" "$WORK/stripped.elf"
  refused 1 'no function symbols' order "$WORK/traced.profraw" \
    --elf "$WORK/stripped.elf" || return
  traces "$WORK/one" 1 a,b
  refused 1 'none of these functions' order "$WORK/one" --elf "$WORK/other.o"
}

linkers() {
  if ! make_traced; then
    not_ok "profile order: a program" "it cannot be compiled or run"
    return
  fi
  check "profile order: a program of this machine" order_of_program
  check "profile order: ld.lld, Arm" link_lld thumbv7m-none-eabi
  check "profile order: ld.lld, RISC-V" link_lld riscv32-none-elf
  check "profile order: ld.lld with INCLUDE" link_script thumbv7m-none-eabi \
    ld.lld-$LLVM_HOST "" llvm-nm-$LLVM_HOST
  for name in arm-none-eabi "riscv64-unknown-elf"; do
    have $name-ld || { skip "profile order: $name-ld" "not here"; continue; }
    case $name in
    arm*) target=thumbv7m-none-eabi emulation= ;;
    *) target=riscv32-none-elf emulation="-m elf32lriscv" ;;
    esac
    check "profile order: $name-ld" link_script $target $name-ld "$emulation" \
      $name-nm
  done
  check "profile order: --elf" in_elf
}

# ---- refused ----

refusals() {
  made ir 3 1 "$WORK/none"
  traces "$WORK/one" 1 a,b
  traces "$WORK/idle" 0 a,b
  check "profile order: no traces" refused 1 \
    'none: no temporal traces found.*-ftemporal-profile' order "$WORK/none"
  check "profile order: none of any weight" refused 1 \
    'no temporal traces' order "$WORK/idle"
  check "profile order: no input" refused 2 'input is missing' order
  check "profile order: bad format" refused 2 'lld or gnu-ld' order \
    --format=x "$WORK/one"
  check "profile order: no such file" refused 1 'absent: ' order \
    "$WORK/one" "$WORK/absent"
  check "profile order: no such ELF" refused 1 'absent: ' order \
    "$WORK/one" --elf "$WORK/absent"
}

rm -rf "$WORK"
mkdir -p "$WORK"
if ! have_llvm $LLVM_HOST; then
  skip "profile order" "llvm-profdata-$LLVM_HOST is not here"
elif ! $MAKE -s tool; then
  not_ok "profile order" "the tool cannot be made"
else
  by_hand
  check "profile order: pages next to llvm-profdata's" quality
  if [ -n "${FULL:-}" ]; then
    check "profile order: pages of Lua" lua_quality
    check "profile order: pages of this tool" tool_quality
  fi
  linkers
  refusals
fi
