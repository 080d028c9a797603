# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Images that changed after the link, or that extract is not for. `run` sources
# this file.

# refused REASON ARGUMENT...: expects one line with REASON, and no file.
refused() {
  reason=$1
  shift
  rm -f "$folder/none"
  said=$("$BAREPROF" extract "$@" -o "$folder/none" 2>&1)
  status=$?
  [ $status = 1 ] || { echo "exit status $status: $said"; return 1; }
  [ ! -e "$folder/none" ] || { echo "there is a file"; return 1; }
  case $said in
    "bareprof: "*": $reason"*) [ "$(echo "$said" | wc -l)" = 1 ] ;;
    *) false ;;
  esac || { echo "expected $reason, got $said"; return 1; }
}

# ---- rows: what strip leaves ----

# serves NAME: META of stripped.elf, made of NAME.elf, works as well as the ELF,
# with NAME's memory.
serves() {
  "$BAREPROF" extract "$folder/stripped.elf" -o "$folder/stripped.meta" &&
    same_report "$folder/$1.elf" "$folder/stripped.meta" &&
    same_profile "$folder/stripped.meta" "$folder/$1.core"
}

# after NAME EXPECTED COMMAND...: changes a copy of NAME.elf with the command,
# and extracts it. EXPECTED is `serves`, or the reason of the error.
after() {
  name=$1 expected=$2
  shift 2
  cp "$folder/$name.elf" "$folder/stripped.elf" &&
    "$@" "$folder/stripped.elf" || return 1
  case $expected in
    serves) serves "$name" ;;
    *) refused "$expected" "$folder/stripped.elf" ;;
  esac || { echo "$name"; return 1; }
}

# after_all FULL LEAN COMMAND...: like after, for the full image and the two
# lean ones, with the expected result of each.
after_all() {
  full=$1 lean=$2
  shift 2
  after full "$full" "$@" && after silent-lld "$lean" "$@" &&
    after silent-gnu "$lean" "$@"
}

rows_strip() {
  board=mps2-an385
  check "extract after strip: images build" strip_images
  check "extract after strip: they run" strip_runs
  lost="the ELF has counters, but its records or names are missing"
  empty="the records or names have no contents"
  word="the version word and the coverage mapping were stripped"
  none="the ELF has no section table"
  while read -r full lean tool option; do
    case $tool in
      llvm-*) tool=$tool-$llvm ;;
      *) have "$tool" || { skip "extract after $tool $option" none; continue; }
    esac
    check "extract after $tool $option" after_all "$(eval "echo $full")" \
      "$(eval "echo $lean")" $tool $option
  done <<'STRIP'
serves  serves  llvm-strip -g
serves  serves  llvm-strip --strip-unneeded
serves  serves  llvm-strip --strip-all-gnu
$word   $lost   llvm-strip
$word   $lost   llvm-objcopy --strip-non-alloc
$none   $none   llvm-strip --strip-sections
$empty  serves  llvm-objcopy --only-keep-debug
serves  serves  arm-none-eabi-strip
serves  serves  arm-none-eabi-strip -g
serves  serves  arm-none-eabi-strip --strip-unneeded
serves  serves  arm-none-eabi-strip --discard-all
$empty  serves  arm-none-eabi-strip --only-keep-debug
STRIP
}

strip_images() {
  image full lld full && image silent-lld lld lean &&
    image silent-gnu gnu lean
}

strip_runs() {
  gdb_run full && gdb_run silent-lld && gdb_run silent-gnu &&
    text_of "$folder/coverage.profraw" && "llvm-profdata-$llvm" merge \
    "$folder/coverage.profraw" -o "$folder/profdata"
}

# ---- rows: other machines, other modes, no image at all ----

# A profile of the same functions from the same compiler.
other_profile() {
  image full lld full && SERIAL=null targets/run $board "$folder/full.elf" \
    "$folder" && "llvm-profdata-$llvm" merge "$folder/coverage.profraw" \
    -o "$folder/profdata"
}

other_machine() {
  board=$1
  image lean lld lean && meta lean
}

# mode_word_is NAME BYTES: compares the version word, which shows the mode of a
# profile, with bytes in hexadecimal.
mode_word_is() {
  section=.rodata.__llvm_profile_raw_version
  dump_sections "$folder/$1.meta" "$folder/word" $section || return 1
  word=$(od -An -t x1 "$folder/word/$section" | tr -d ' ')
  [ "$word" = "$2" ] || { echo "the word is $word"; return 1; }
}

mode_ir() {
  image ir lld lean "-fprofile-generate -mllvm -disable-vp" &&
    "$BAREPROF" extract "$folder/ir.elf" -o "$folder/ir.meta" &&
    same_sections "$folder/ir.elf" "$folder/ir.meta" &&
    mode_word_is ir 0a00000000000001 || return 1
  after ir "the version word and the coverage mapping were stripped" arm-none-eabi-strip
}

mode_bytes() {
  image bytes lld lean "$single_bytes" &&
    "$BAREPROF" extract "$folder/bytes.elf" -o "$folder/bytes.meta" &&
    same_sections "$folder/bytes.elf" "$folder/bytes.meta" &&
    mode_word_is bytes 0a00000000000010 || return 1
  after bytes "" arm-none-eabi-strip
}

mode_correlated() {
  image correlated lld lean "$correlated" && meta correlated
}

mode_debug_info() {
  image debug lld lean "$debug_info" &&
    refused "the ELF has counters, but its records or names are missing" "$folder/debug.elf"
}

# One script merges notes, and one drops .comment: the build id and the compiler
# are then elsewhere.
elsewhere() {
  "$OBJCOPY" --rename-section .note.gnu.build-id=.notes \
    --remove-section .comment "$folder/full.elf" "$folder/elsewhere.elf" &&
    "$BAREPROF" extract "$folder/elsewhere.elf" -o "$folder/elsewhere.meta" &&
    same_report "$folder/full.elf" "$folder/elsewhere.meta" || return 1
  [ "$(build_id full.elf)" = "$(build_id elsewhere.meta)" ] &&
    "$READELF" -p .debug_str "$folder/elsewhere.meta" |
    grep -q "clang version $llvm"
}

# A script without bareprof's lines: counters are loaded, like data.
loaded() {
  "$OBJCOPY" --set-section-flags __llvm_prf_cnts=alloc,load,contents \
    "$folder/full.elf" "$folder/loaded.elf" &&
    [ "$(type_of loaded.elf)" = PROGBITS ] &&
    "$BAREPROF" extract "$folder/loaded.elf" -o "$folder/loaded.meta" ||
    return 1
  [ "$(type_of loaded.meta)" = NOBITS ] || { echo contents; return 1; }
  same_report "$folder/full.elf" "$folder/loaded.meta"
}

type_of() {
  "$READELF" -SW "$folder/$1" |
    sed -n 's/.* __llvm_prf_cnts  *\([A-Z]*\).*/\1/p'
}

build_id() {
  "$READELF" -n "$folder/$1" | sed -n 's/ *Build ID: //p' | grep .
}

again() {
  "$BAREPROF" extract "$folder/full.meta" -o "$folder/again.meta" &&
    cmp "$folder/full.meta" "$folder/again.meta" &&
    "$BAREPROF" extract - -o - <"$folder/full.elf" |
    cmp - "$folder/full.meta"
}

# Truncates at each of the header's 52 bytes, and at some later bytes.
truncated() {
  size=$(wc -c <"$folder/full.elf")
  for length in $(seq 0 51) $(seq 52 4099 $((size - 1))) $((size - 1)); do
    head -c "$length" "$folder/full.elf" >"$folder/short"
    refused "" "$folder/short" || { echo "$length bytes"; return 1; }
  done
}

# Files without counters are refused: objects, cores, text, plain programs.
no_image() {
  for type in 1 4; do
    # Changes the type, byte 16 of the header.
    { head -c 16 "$folder/full.elf" && printf "\\$type" &&
      tail -c +18 "$folder/full.elf"; } >"$folder/typed"
    refused "this is an object file or a core file" "$folder/typed" || return 1
  done
  refused "this is not an ELF" tests/extract/run &&
    refused "cannot be opened" "$folder/absent" || return 1
  image plain lld lean " " &&
    refused "no counters found" "$folder/plain.elf"
}

wrong_usage() {
  for arguments in "" "$folder/full.elf" "-o $folder/none" "-x" \
    "a b -o $folder/none"; do
    "$BAREPROF" extract $arguments >"$folder/usage" 2>&1
    [ $? = 2 ] && grep -q '^bareprof: extract: .*; see' "$folder/usage" ||
      { echo "extract $arguments"; return 1; }
  done
  "$BAREPROF" extract --help | grep -q '^usage: bareprof extract'
}

not_written() {
  said=$("$BAREPROF" extract "$folder/full.elf" -o /dev/full 2>&1) &&
    { echo accepted; return 1; }
  [ "$said" = "bareprof: /dev/full: cannot be written: No space left on\
 device; check the permissions and the disk space" ] || { echo "$said"; return 1; }
}

rows_other() {
  board=mps2-an385
  check "extract: a profile for other machines" other_profile
  check "extract: llvm-cov" meta full
  check "extract: of what is extracted, and through pipes" again
  check "extract: truncated" truncated
  check "extract: build id and compiler elsewhere" elsewhere
  check "extract: loaded counters" loaded
  check "extract: no image" no_image
  check "extract: wrong usage" wrong_usage
  check "extract: a full disk" not_written
  check "extract: the optimiser's profile" mode_ir
  check "extract: single bytes" mode_bytes
  check "extract: correlated" mode_correlated
  check "extract: correlated by debug information" mode_debug_info
  for other in virt-cortex-a15be virt-riscv64 virt-aarch64be; do
    check "extract: $other" other_machine $other
  done
}
