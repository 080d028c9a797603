# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Rows of --sources: the sources that a report should have, and the state of
# each. Tests a program with results known by hand, then the programs
# of whole/builds.py. `run` sources this file.
# shellcheck disable=SC2154 # Of run.

# whole_text FOLDER: writes the sources. By hand: lone.c has 5 lines with code,
# in 4 regions, and its text has 5 lines that are not only brackets or a
# directive; plain.c has 6 lines with code in 2 functions; start.S 6 lines of
# text.
whole_text() {
  mkdir -p "$1/src" || return
  source_text "$1/src"
  printf '%s\n' '#include "inc/twice.h"' 'int other(int a), plain(int a);' \
    'int start(void);' 'extern int table[];' 'int main(void) {' \
    '  return twice(1) != 2 || other(2) != 4 || plain(1) != table[0] ||' \
    '         start();' '}' 'static inline int idle(void) { return 0; }' \
    >"$1/src/main.c"
  printf '%s\n' 'int plain(int a);' 'int plain(int a) {' '  /* text */' \
    '  if (a)' '    return 3;' '  return 4;' '}' 'int again(int a);' \
    'int again(int a) { return a; }' >"$1/src/plain.c"
  echo 'int table[] = {3};' >"$1/src/data.c"
  printf '%s\n' 'int spare(int a);' 'int spare(int a) { return a; }' \
    >>"$1/src/other.c"
  printf '%s\n' '#if 0' 'int gone(void) { return 1; }' '#else' '#endif' \
    >"$1/src/zero.c"
  printf '%s\n' '#include "inc/twice.h"' 'int lone(int a);' \
    'int lone(int a)' '{' '  if (a)' '    return 1;' '  return twice(2);' '}' \
    >"$1/src/lone.c"
  printf '\t%s\n' .text '.globl start' '.type start,@function' 'start:' \
    'xorl %eax, %eax' ret '' '@ a comment' >"$1/src/start.S"
  sed -i 's/^\tstart:/start:/; /@ a/d' "$1/src/start.S"
}

whole_compile() {
  (cd "$1" && shift && "clang-22" -g -c "$@") || return
}

# whole_build FOLDER: makes prog, prog.profraw, and the list of compile
# commands.
whole_build() {
  cover="-fprofile-instr-generate -fcoverage-mapping -ffunction-sections"
  whole_text "$1" || return
  for name in main other data zero lone; do
    whole_compile "$1" $cover "src/$name.c" -o $name.o || return
  done
  whole_compile "$1" src/plain.c -o plain.o &&
    (cd "$1" && clang-22 -c src/start.S -o start.o 2>/dev/null) &&
    (cd "$1" && clang-22 $cover -Wl,--gc-sections -Wl,--build-id -Wl,-z,noexecstack \
      main.o other.o data.o zero.o plain.o start.o -o prog \
      -Wl,-Map=prog.map && LLVM_PROFILE_FILE=prog.profraw ./prog) || return
  for name in main other data zero lone lost; do
    echo "{\"directory\":\"$1\",\"file\":\"src/$name.c\"," \
      "\"arguments\":[\"cc\",\"-c\",\"src/$name.c\",\"-o\",\"$name.o\"]},"
  done >"$1/list"
  { echo "["; cat "$1/list"
    printf '%s\n' '{"directory":"src/..","file":"src/plain.c",' \
      "\"command\":\"ccache 'cc' @args\"}," \
      "{\"directory\":\"$1\",\"file\":\"$1/src/start.S\"," \
      '"command":"cc -c\\ x -o\"start.o\""}]'; } >"$1/compile_commands.json"
  echo "-c src/plain.c -o 'plain.o'" >"$1/args"
}

# states REPORT: prints NAME STATE of each source that is not measured.
states() {
  sed -n '/^"sources":{/,/^]}/p' "$out/$1/evidence.json" | tr -d '\n' |
    sed 's/{"file"/\n&/g' |
    sed -n 's,^{"file":"[^"]*/\([^"/]*\)".*"state":"\([^"]*\)".*,\1 \2,p' |
    grep -v ' measured$' | sort | tr '\n' '|'
}

# counts LCOV NAME: prints its functions and lines, and how many ran.
counts() {
  awk -F : -v name="/$2" '/^SF:/ {
      at = length($0) - length(name) + 1
      on = substr($0, at) == name
    }
    on && /^(FNF|FNH|LF|LH):/ { printf "%s ", $2 }' "$1"
}

row_whole() {
  label="report what should be there"
  wanted "$label" || return 0
  w=$(source_folder whole)
  check "$label: build" whole_build "$w"
  set -- "$w/prog" "$w/prog.profraw"
  check "$label: without --sources" good no-whole "$@" --lcov "$out/no.lcov"
  check "$label: compile_commands.json" good whole-made "$@" --sources \
    "$w/compile_commands.json" --lcov "$out/whole.lcov" --cobertura \
    "$out/whole.xml" --json "$out/whole.json"
  equal "$label: the state of each" "data.c data only|lone.c compiled but not \
linked|lost.c missing on disk|plain.c compiled without coverage|start.S \
assembly|zero.c data only|" "$(states whole-made)"
  equal "$label: not linked: as clang counts it" "1 0 5 0 " \
    "$(counts "$out/whole.lcov" lone.c)"
  equal "$label: without coverage: by the line table" "2 0 6 0 " \
    "$(counts "$out/whole.lcov" plain.c)"
  equal "$label: assembly: by text" "1 0 6 0 " \
    "$(counts "$out/whole.lcov" start.S)"
  check "$label: it says by which means" grep -q \
    'plain.c, counted by the line table' "$out/whole-made.said"
  check "$label: a heading of its own" grep -q '^in no measurement:' \
    "$out/whole-made.said"
  equal "$label: what is measured stays" "$(sed '/lone\|plain\|start\|lost/d' \
    "$out/no.lcov" | grep -c '^DA')" "$(awk '
    /^SF/ { on = /\/(main[.]c|other[.]c|twice[.]h)$/ }
    on && /^DA/ { n++ } END { print n }' "$out/whole.lcov")"
  for file in lone plain lost; do
    check "$label: a page of $file.c" test -s \
      "$out/whole-made/html/$file.c.html"
    check "$label: Cobertura has $file.c" grep -q "filename=.*/$file.c" \
      "$out/whole.xml"
  done
  report whole-low "$@" --sources "$w/compile_commands.json" \
    --fail-under lines=60 || true
  check "$label: the index has each state" grep -q \
    'src/start.S</th><td class="bad">assembly</td><td>by text</td>' \
    "$out/whole-made/html/index.html"
  check "$label: a limit counts it" only_error whole-low 'below the limit of 60 %'
  check "$label: the same limit without" good whole-high "$@" --fail-under \
    lines=60
  printf 'path=%s reason="of the next release"\n' lone.c plain.c \
    >"$w/exclusions"
  check "$label: exclusions take it out" good whole-less "$@" --sources \
    "$w/compile_commands.json" --exclusions "$w/exclusions"
  equal "$label: and it is not named" "data.c data only|lost.c missing on \
disk|start.S assembly|zero.c data only|" "$(states whole-less)"
  check "$label: so does --ignore" good whole-ignored "$@" --sources \
    "$w/compile_commands.json" --ignore '/(lo|start)[^/]*$'
  equal "$label: of these nothing" "data.c data only|plain.c compiled without \
coverage|zero.c data only|" "$(states whole-ignored)"
  check "$label: a folder" good whole-folder "$@" --sources "$w/src" --lcov \
    "$out/folder.lcov"
  equal "$label: not compiled: by text, a line of brackets has no code" \
    "DA:2,0 DA:3,0 DA:5,0 DA:6,0 DA:7,0 " "$(sed -n '/lone.c$/,/^end_of/p' \
    "$out/folder.lcov" | grep '^DA' | one_line)"
  mkdir -p "$w/marked"
  printf '%s\n' 'int zip(int a) { // LCOV_EXCL_FUNCTION: later' '  if (a) {' \
    '    return 3;' '  }' '  return 1;' '}' 'int zap(int a)' '{ return a; }' \
    'int last(int a) { return a; } // LCOV_EXCL_FUNCTION: later' \
    >"$w/marked/marked.c"
  check "$label: marked functions that are counted by text" good whole-marked \
    "$@" --sources "$w/marked" --lcov "$out/marked.lcov"
  equal "$label: the lines of the others" "DA:7,0 DA:8,0 " "$(sed -n \
    '/marked.c$/,/^end_of/p' "$out/marked.lcov" | grep '^DA' | one_line)"
  equal "$label: a folder's states" "data.c data only|lone.c not \
compiled|plain.c compiled without coverage|start.S assembly|zero.c data only|" \
    "$(states whole-folder)"
  ln -sfn src "$w/link"
  check "$label: a folder behind a link" good whole-link "$@" --sources \
    "$w/link"
  equal "$label: a folder behind a link: the same states" \
    "$(states whole-folder)" "$(states whole-link)"
  check "$label: a map" good whole-map "$@" --sources "$w/prog.map" --ignore \
    '/usr|/lib'
  equal "$label: a map's states" "data.c data only|plain.c compiled without \
coverage|start.o assembly|zero.o data only|" "$(states whole-map)"
  sed 's/$/\r/' "$w/prog.map" >"$w/windows.map"
  check "$label: a map of Windows" good whole-crlf "$@" --sources \
    "$w/windows.map" --ignore '/usr|/lib'
  equal "$label: a map of Windows: the same states" "$(states whole-map)" \
    "$(states whole-crlf)"
  printf '\357\273\277# all\n\n%s\n' "$w/src/other.c" >"$w/names"
  check "$label: a list" good whole-list "$@" --sources "$w/names"
  equal "$label: what nobody asked for" "main.c in an ELF but not \
planned|plain.c in an ELF but not planned|" "$(states whole-list)"
  echo lost.CPP >"$w/capitals"
  check "$label: a source in capitals" good whole-capitals "$@" --sources \
    "$w/capitals"
  check "$label: a source in capitals is no header" grep -q \
    'lost.CPP, counted by text' "$out/whole-capitals.said"
  object='"file":"src/other.c","command":"cc -c src/other.c'
  printf '[{"directory":"%s",%s"},{"directory":"%s",%s -o other.o"}]' \
    "$w" "$object" "$w" "$object" >"$w/twice.json"
  check "$label: two commands of one source, one of them names its object" \
    good whole-twice "$@" --sources "$w/twice.json"
  equal "$label: it counts once" "$(states whole-list)" "$(states whole-twice)"
  printf '[{"directory":"%s","file":"src/lone.c","command":"cc -c %s"}]' \
    "$w" src/lone.c >"$w/bare.json"
  check "$label: a command without -o" good whole-bare "$@" --sources \
    "$w/bare.json"
  check "$label: its object is in the folder" grep -q \
    'lone.c, counted by its object' "$out/whole-bare.said"
  check "$label: a second list of the same sources" good whole-again "$@" \
    --sources "$w/twice.json" --sources "$w/twice.json"
  # The mapping of lone.o names the source otherwise than the plan.
  sed -i 's,return 1;,& /* LCOV_EXCL_LINE: why */,' "$w/src/lone.c"
  check "$label: relative names" whole_compile "$w" -fprofile-instr-generate \
    -fcoverage-mapping "-ffile-prefix-map=$w=." src/lone.c -o lone.o
  check "$label: relative names, a report" good whole-relative "$@" --sources \
    "$w/compile_commands.json" --source-map ".=$w" --lcov "$out/relative.lcov"
  equal "$label: relative names: markers count" "1 0 4 0 " \
    "$(counts "$out/relative.lcov" lone.c)"
  equal "$label: relative names: under the heading" 1 "$(sed \
    '1,/^in no measurement:/d' "$out/whole-relative.said" |
    grep -c 'lone.c  *0.00')"
}

row_whole_wrong() {
  label="report what should be there, refused"
  wanted "$label" || return 0
  w=$(source_folder whole)
  [ -s "$w/prog.profraw" ] || whole_build "$w"
  set -- "$w/prog" "$w/prog.profraw"
  head -c 60 "$w/compile_commands.json" >"$w/short.json"
  echo '[{"directory":"/x"}]' >"$w/fileless.json"
  : >"$w/empty"
  for wrong in short.json fileless.json; do
    check "$label: $wrong" bad whole-wrong 1 \
      "$wrong: this is not a valid compile_commands.json: .*generate the file again" "$@" \
      --sources "$w/$wrong"
  done
  for wrong in empty prog.map/none; do
    check "$label: $wrong" bad whole-wrong 1 "$wrong: " "$@" --sources \
      "$w/$wrong"
  done
  check "$label: an ELF" bad whole-wrong 1 'prog: this is not text; pass' "$@" \
    --sources "$w/prog"
  mkdir -p "$w/bare"
  check "$label: an empty folder" bad whole-wrong 1 'no source files found' "$@" \
    --sources "$w/bare"
}

# Compares the code that lld drops with the remaining symbols. lld keeps the
# debug information of gone.c, but not its code. All code of unity.c is in part.h.
row_dropped() {
  label="report what the linker dropped"
  wanted "$label" || return 0
  w=$(source_folder whole)
  [ -s "$w/prog.profraw" ] || whole_build "$w"
  dropped_link() {
    mkdir -p "$w/gone" && cd "$w" &&
      echo 'int gone(int a) { return a; }' >gone/gone.c &&
      echo '__attribute__((used, retain)) int part(void) { return 1; }' \
        >gone/part.h && echo '#include "part.h"' >gone/unity.c || return
    for name in gone unity; do
      whole_compile "$w" -ffunction-sections gone/$name.c -o $name.o || return
    done
    clang-22 -fprofile-instr-generate -fuse-ld=lld \
      -Wl,--gc-sections,--build-id,-Map=small.map main.o other.o data.o plain.o \
      start.o gone.o unity.o -o small && LLVM_PROFILE_FILE=small.profraw ./small
  }
  check "$label: build" dropped_link
  equal "$label: its code is gone" "" "$(llvm-nm-22 "$w/small" | grep spare)"
  check "$label: a report" good dropped "$w/small" "$w/small.profraw" \
    --uncovered --json "$out/dropped.json"
  check "$label: it never ran, and is marked" grep -q \
    '^  .*other.c:5 spare, dropped by the linker$' "$out/dropped.said"
  check "$label: the report's number" grep -qx \
    '  Dropped by the linker, and counted as never run: 1 function' \
    "$out/dropped.said"
  check "$label: its page says so" grep -q 'spare.*the linker dropped it' \
    "$out/dropped/html/functions.html"
  check "$label: evidence" grep -q '"dropped":1,' \
    "$out/dropped/evidence.json"
  "$BAREPROF" doctor "$w/small" >"$out/dropped.doctor"
  check "$label: the doctor's" grep -q 'linker  dropped 1 function:' \
    "$out/dropped.doctor"
  equal "$label: the doctor's, as JSON" '"dropped":1' \
    "$("$BAREPROF" doctor --json "$w/small" | grep -o '"dropped":[0-9]*')"
  check "$label: a folder" good dropped-folder "$w/small" "$w/small.profraw" \
    --sources "$w/gone"
  equal "$label: a folder's states" \
    "gone.c compiled but not linked|unity.c data only|" \
    "$(states dropped-folder | sed 's/[^|]*not planned|//g')"
  check "$label: a map" good dropped-map "$w/small" "$w/small.profraw" \
    --sources "$w/small.map"
  check "$label: a map has its debug sections" grep -q 'gone.o:(.debug_info)' \
    "$w/small.map"
  equal "$label: they are not code" "gone.c compiled but not linked" \
    "$(states dropped-map | tr '|' '\n' | grep '^gone')"
  check "$label: nothing is dropped" good undropped "$w/prog" "$w/prog.profraw"
  check "$label: nothing is said" free_of Dropped "$out/undropped.said"
}

# For a weak and a strong function, the linker keeps the mapping of the weak
# one, and the counts of the strong one, in strong.c: twin is called twice, 3 of
# 4 lines, and same, which has the same hash in both, once, 1 line.
row_twins() {
  label="report what should be there, twins"
  wanted "$label" || return 0
  w=$(source_folder twins)
  twins_build() {
    printf '%s\n' '#define WEAK __attribute__((weak))' 'int twin(int a);' \
      'int same(void);' 'WEAK int twin(int a) { return a; }' \
      'WEAK int same(void) { return 1; }' >"$w/weak.c"
    printf '%s\n' 'int twin(int a);' 'int twin(int a) {' '  if (a > 5)' \
      '    return 3;' '  return 0; }' 'int same(void);' \
      'int same(void) { return 0; }' >"$w/strong.c"
    printf '%s\n' 'int twin(int a), same(void);' \
      'int main(void) { return twin(1) + twin(2) + same(); }' >"$w/main.c"
    cd "$w" || return
    for name in weak strong main; do
      clang-22 -g -fprofile-instr-generate -fcoverage-mapping -c $name.c || return
      echo "{\"directory\":\"$w\",\"file\":\"$name.c\",\"output\":\"$name.o\"},"
    done | sed '1s/^/[/; $s/,$/]/' >compile_commands.json
    clang-22 -fprofile-instr-generate -Wl,--build-id weak.o strong.o main.o \
      -o main && LLVM_PROFILE_FILE=main.profraw ./main
  }
  check "$label: build" twins_build
  set -- "$w/main" "$w/main.profraw"
  check "$label: without --sources" good no-twins "$@" --lcov "$out/twins.lcov"
  equal "$label: strong.c is in no report" "" "$(counts "$out/twins.lcov" \
    strong.c)"
  check "$label: with" good twins-made "$@" --sources \
    "$w/compile_commands.json" --lcov "$out/twins.lcov"
  equal "$label: it is measured, by its object" "2 2 5 4 " \
    "$(counts "$out/twins.lcov" strong.c)"
  equal "$label: how often" "DA:3,2 DA:4,0 " "$(sed -n '/strong.c/,/end_of/p' \
    "$out/twins.lcov" | grep '^DA:[34]' | one_line)"
  equal "$label: no other state" "" "$(states twins-made)"
  check "$label: tests, too" good twins-tests "$@" --sources \
    "$w/compile_commands.json" --tests
}

# Two ELFs have one source with different -D; lines with code are known by hand.
row_variants() {
  label="report what should be there, variants"
  wanted "$label" || return 0
  w=$(source_folder variants)
  variants_build() {
    printf '%s\n' 'int main(void) {' '  int a = 1;' '#ifdef ONE' '  if (a)' \
      '    a = 1;' '' '  /* text */' '  a += 2;' '#else' '  a += 3;' '#endif' \
      '#if defined ONE && defined TWO' '  a -= 4;' '#endif' '#if 0' \
      '  a = 5;' '#endif' '  return !a;' '}' >"$w/main.c"
    cd "$w" || return
    for name in ONE TWO; do
      clang-22 -g -fprofile-instr-generate -fcoverage-mapping -D$name \
        -Wl,--build-id main.c -o $name || return
      LLVM_PROFILE_FILE=$name.profraw ./$name
    done
  }
  check "$label: build" variants_build
  check "$label: a report" good variants-made "$w/ONE" "$w/TWO" \
    "$w/ONE.profraw" "$w/TWO.profraw" --sources "$w"
  equal "$label: by variant" "main.c:4-5: only in ONE main.c:8-8: only in ONE \
main.c:10-10: only in TWO main.c:13-13: no build compiles these lines \
main.c:16-16: no build compiles these lines " \
    "$(sed -n '/^  code that #if skips:/,/^$/p' "$out/variants-made.said" |
      sed -n 's,^    .*/\(main\.c:.*\),\1,p' | sed 's,only in .*/,only in ,' |
      one_line)"
  equal "$label: evidence" 5 "$(grep -c '"skipped_in":\[' \
    "$out/variants-made/evidence.json")"
  cp "$w/TWO" "$w/one"
  check "$label: names that differ in capital letters" good variants-case \
    "$w/ONE" "$w/one" "$w/ONE.profraw" "$w/TWO.profraw"
  check "$label: names of files differ on each disk" test -s \
    "$out/variants-case/one-2.profraw"
  check "$label: one ELF" good variants-one "$w/ONE" "$w/ONE.profraw" \
    --sources "$w"
  equal "$label: what it skips" "10-10 13-13 16-16 " "$(sed -n \
    's/.*main.c:\(.*\): no build.*/\1/p' "$out/variants-one.said" | one_line)"
}

# A source is bitcode and not linked; and the linker makes a program from
# bitcode, whose ELF has each mapping: full LTO, and ThinLTO.
row_whole_bitcode() {
  label="report what should be there, bitcode"
  wanted "$label" || return 0
  w=$(source_folder bitcode)
  bitcode_build() {
    whole_text "$w" || return
    cover="-fprofile-instr-generate -fcoverage-mapping"
    for name in main other data zero lone plain; do
      whole_compile "$w" $cover -flto"$1" "src/$name.c" -o $name.o || return
      echo "{\"directory\":\"$w\",\"file\":\"src/$name.c\"," \
        "\"arguments\":[\"cc\",\"-c\",\"src/$name.c\",\"-o\",\"$name.o\"]},"
    done | sed '1s/^/[/; $s/,$/]/' >"$w/compile_commands.json"
    [ "$(wc -l <"$w/compile_commands.json")" = 6 ] && cd "$w" &&
      clang-22 -c src/start.S -o start.o 2>/dev/null &&
      clang-22 $cover -flto"$1" -fuse-ld=lld -Wl,--build-id \
        -Wl,-z,noexecstack main.o other.o data.o plain.o start.o -o prog &&
      LLVM_PROFILE_FILE=prog.profraw ./prog
  }
  for kind in '' =thin; do
    check "$label: build$kind" bitcode_build "$kind"
    check "$label: a report$kind" good bitcode-made "$w/prog" "$w/prog.profraw" \
      --sources "$w/compile_commands.json"
    equal "$label: the state of each$kind" "data.c data only|lone.c LTO \
bitcode|zero.c LTO bitcode|" "$(states bitcode-made | sed 's/start.S[^|]*|//')"
  done
}

# A build on Windows leaves its names in the ELF and in the database.
row_whole_windows() {
  label="report what should be there, of Windows"
  wanted "$label" || return 0
  w=$(source_folder windows-whole)
  windows_build() {
    whole_text "$w" || return
    cover="-fprofile-instr-generate -fcoverage-mapping"
    for name in main other data zero plain lone; do
      more=$cover
      [ $name != plain ] || more=
      whole_compile "$w" $more "-ffile-prefix-map=$w=C:\\work" "src/$name.c" \
        -o $name.o || return
      printf '{"directory":"c:\\\\work\\\\build","file":"..\\\\src\\\\%s.c",' $name
      printf '"command":"C:\\\\llvm\\\\clang.exe -c ..\\\\src\\\\%s.c ' $name
      printf -- '-o ..\\\\%s.o"},\n' $name
    done | sed '1s/^/[/; $s/,$/]/' >"$w/compile_commands.json"
    [ "$(wc -l <"$w/compile_commands.json")" = 6 ] && cd "$w" &&
      clang-22 -c src/start.S -o start.o 2>/dev/null &&
      clang-22 $cover -Wl,--build-id -Wl,-z,noexecstack main.o other.o data.o \
        plain.o start.o -o prog && LLVM_PROFILE_FILE=prog.profraw ./prog
  }
  check "$label: build" windows_build
  for name in "$w/compile_commands.json" "$w/src"; do
    check "$label: a report, $(basename "$name")" good whole-windows "$w/prog" \
      "$w/prog.profraw" --sources "$name" --source-map "C:/work=$w"
    case $name in
      *.json) lone='compiled but not linked' data='data only' ;;
      *) lone='not compiled' data=$lone ;;
    esac
    equal "$label: the state of each, $(basename "$name")" "data.c \
$data|lone.c $lone|plain.c compiled without coverage|zero.c data only|" \
      "$(states whole-windows | sed 's/start.S[^|]*|//')"
  done
}

# A build links twice, like Zephyr's: the first ELF, which never runs, lacks a
# source that the first link's script writes. The database has the commands of
# both links.
row_whole_links() {
  label="report what should be there, two links"
  wanted "$label" || return 0
  w=$(source_folder links)
  links_build() {
    cover="-fprofile-instr-generate -fcoverage-mapping -ffunction-sections"
    mkdir -p "$w/made" && printf '%s\n' 'int table(int a);' \
      'int main(void) { return table(1) != 4; }' >"$w/main.c" &&
      printf '%s\n' 'int table(int a);' \
        '__attribute__((weak)) int table(int a) { return a; }' >"$w/empty.c" &&
      whole_compile "$w" $cover main.c -o main.o &&
      whole_compile "$w" $cover empty.c -o empty.o && cd "$w" &&
      clang-22 $cover -Wl,--build-id main.o empty.o -o first || return
    printf '%s\n' 'int table(int a);' 'int table(int a)' '{' \
      '  if (a > 1)' "    return $(wc -c <first);" '  return 4;' '}' \
      >made/table.c
    clang-22 -g $cover -c made/table.c -o table.o &&
      clang-22 $cover -Wl,--gc-sections,--build-id main.o table.o -o final &&
      LLVM_PROFILE_FILE=final.profraw ./final || return
    for name in main empty made/table; do
      echo "{\"directory\":\"$w\",\"file\":\"$name.c\",\"command\":\"cc -c \
$name.c -o $(basename $name).o\"},"
    done | sed '1s/^/[/; $s/,$/]/' >compile_commands.json
  }
  check "$label: build" links_build
  check "$label: the final ELF" good links-made "$w/final" "$w/final.profraw" \
    --sources "$w/compile_commands.json" --root "$w" --lcov "$out/links.lcov"
  equal "$label: the source of the first link alone" \
    "empty.c compiled but not linked|" "$(states links-made)"
  equal "$label: the source that the build wrote is measured" "1 1 5 4 " \
    "$(counts "$out/links.lcov" table.c)"
}

row_whole_builds() {
  label="report what should be there, of made builds"
  wanted "$label" || return 0
  check "$label: each fate is named, no other" python3 \
    $here/whole/builds.py "$BAREPROF" "$out/builds" \
    "$([ -n "${FULL:-}" ] && echo 200 || echo 10)"
}

rows_whole() {
  row_whole
  row_whole_wrong
  row_dropped
  row_twins
  row_variants
  row_whole_bitcode
  row_whole_windows
  row_whole_links
  row_whole_builds
}
