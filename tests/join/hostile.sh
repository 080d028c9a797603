# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Wrong, damaged, or unrelated files, and full disks. `run` sources this file.

newline='
'

# one_reason STATUS SAID: expects status 1 and one message of the form
# `bareprof: FILE: what is wrong; what to do`.
one_reason() {
  case $1.$2 in
  *"$newline"*) return 1 ;;
  "1.bareprof: "*": "*"; "*) ;;
  *) return 1 ;;
  esac
}

# damaged ACCEPTED ROLE KIND FILE [COUNT]: for each damage to a file, used as
# the ELF or its dump, join prints one line and leaves no file; or the damage
# does no harm, and the profile is right. ACCEPTED: how many profiles may
# differ, as with names from elsewhere.
damaged() {
  accepted=$1 role=$2
  spoiled=$folder/spoiled
  "$BAREPROF" join "$folder/full.elf" "$dump" -o "$folder/right" || return 1
  rm -rf "$spoiled" && mkdir "$spoiled" &&
    "$out/damage" $3 "$4" "$spoiled" ${5-} || return 1
  for file in "$spoiled"/*; do
    case $role in
    elf) set -- "$file" "$dump" ;;
    dump) set -- "$folder/full.elf" "$file" ;;
    esac
    # join takes at most 100 MB, for any contents of the file.
    if said=$(ulimit -v 100000 &&
      exec "$BAREPROF" join "$@" -o "$folder/joined" 2>&1); then
      cmp -s "$folder/right" "$folder/joined" || accepted=$((accepted - 1))
      rm "$folder/joined"
      [ $accepted -ge 0 ] || { echo "$file is accepted"; return 1; }
    else
      one_reason $? "$said" || { echo "$file: status $?, $said"; return 1; }
      [ ! -e "$folder/joined" ] || { echo "$file: a file is left"; return 1; }
    fi
  done
}

# Files of other machines and compilers, and files that are not firmware.
others() {
  head -c 100000 /dev/zero >"$folder/large"
  refused "no counters" "$BAREPROF" /dev/null &&
    refused "this is an object" \
      "$folder/full.objects/counts.c.o" /dev/null &&
    refused "this is not an ELF" $here/run "$dump" &&
    refused "this is not an ELF" "$dump" "$folder/full.elf" &&
    refused "the file is empty; check the linker" \
      /dev/null "$dump" &&
    refused "No such file" "$folder/none" "$dump" &&
    refused "this is a folder" "$folder" "$dump" &&
    refused "not a core" "$folder/full.elf" "$folder/full.elf" &&
    refused "larger than the" "$folder/full.elf" "$folder/large" &&
    refused "this is a raw profile; pass it to bareprof merge, with --elf" \
      "$folder/full.elf" "$folder/full/1.profraw" &&
    refused "lacks some" "$folder/full.elf" /dev/null &&
    refused "No such file" "$folder/full.elf" "$folder/none"
}

# The first dump is right, the second not.
second() {
  head -c 200 "$dump" >"$folder/cut.bpdump"
  refused "damaged" "$folder/full.elf" "$dump" "$folder/cut.bpdump"
}

stripped() {
  "llvm-strip-$LLVM_HOST" "$folder/lean.elf" -o "$folder/stripped.elf" &&
    refused "unstripped" "$folder/stripped.elf" "$folder/lean/1.bpdump"
}

no_build_id() {
  "$OBJCOPY" -R .note.gnu.build-id "$folder/full.elf" "$folder/no-id.elf" &&
    refused "the build id is missing" "$folder/no-id.elf" "$dump"
}

gap() {
  mkdir -p "$folder/gap" && "$out/damage" gap "$dump" "$folder/gap" &&
    refused "the dump has gaps" "$folder/full.elf" "$folder/gap/0"
}

many_gaps() {
  mkdir -p "$folder/many" && "$out/damage" many "$dump" "$folder/many" ||
    return 1
  BAREPROF="timeout 5 $BAREPROF"
  refused "the dump has gaps" "$folder/full.elf" "$folder/many/0"
}

# Two objects define a weak function, and the linker keeps the records of both:
# its outcome bytes become bits once.
weak_bytes() {
  weak=$folder/weak
  mkdir -p "$weak"
  for part in a b; do
    printf '%s\n' \
      '__attribute__((weak)) int both(int a, int b) { return a && b; }' \
      "int $part(int x) { return both(x, 1); }" >"$weak/$part.c"
    "$BAREPROF" cc --place=sections --counters=byte --mcdc=bytes \
      --coverage=mcdc clang-22 --target=thumbv7m-none-eabi -O1 \
      -c "$weak/$part.c" -o "$weak/$part.o" || return 1
  done
  printf '%s\n' 'MEMORY { ROM : ORIGIN = 0, LENGTH = 64K' \
    'RAM : ORIGIN = 0x20000000, LENGTH = 64K }' \
    'REGION_ALIAS("BAREPROF_RAM", RAM) REGION_ALIAS("BAREPROF_ROM", ROM)' \
    'SECTIONS { .text : { *(.text*) } >ROM' \
    '.data : { *(.data*) } >RAM INCLUDE bareprof-lean.ld }' >"$weak/weak.ld"
  ld.lld-22 --build-id -L linker-scripts -T "$weak/weak.ld" -e a \
    --defsym=__llvm_profile_runtime=0 "$weak/a.o" "$weak/b.o" \
    -o "$weak/elf" || return 1
  head -c "$(llvm-size-22 -A "$weak/elf" |
    awk '$1 == "__llvm_prf_cnts" { print $2 }')" /dev/zero >"$weak/counters"
  "$BAREPROF" join "$weak/elf" "$weak/counters" -o "$weak/profraw" &&
    "$BAREPROF" show "$weak/profraw" >"$folder/said" &&
    grep -q '^functions  *3, 3 of them ran' "$folder/said" &&
    grep -q '^highest first  *1$' "$folder/said" ||
    { one_line <"$folder/said"; return 1; }
}

# An existing file with the output's name stays.
full_disk() {
  said=$("$BAREPROF" join "$folder/full.elf" "$dump" \
    -o /dev/full 2>&1)
  one_reason $? "$said" || { echo "/dev/full: $said"; return 1; }
  rm -rf "$folder/disk" && mkdir "$folder/disk" &&
    echo old >"$folder/disk/out" || return 1
  said=$(trap '' XFSZ && ulimit -f 0 && "$BAREPROF" join "$folder/full.elf" \
    "$dump" -o "$folder/disk/out" 2>&1)
  one_reason $? "$said" || { echo "limit: $said"; return 1; }
  [ "$(ls -A "$folder/disk") $(cat "$folder/disk/out")" = "out old" ] ||
    { echo "left: $(ls -A "$folder/disk")"; return 1; }
}

usage() {
  for arguments in "" "-o out" "a -o out" "a b" "a b -o" "a b -o c --what" \
    "a -m b -o c" "a -m b@ -o c" "a -m @1 -o c" "a -m b@1x -o c"; do
    "$BAREPROF" join $arguments >"$folder/said" 2>&1
    [ $? = 2 ] && [ "$(wc -l <"$folder/said")" = 1 ] ||
      { echo "join $arguments: $(one_line <"$folder/said")"; return 1; }
  done
  "$BAREPROF" join --help | grep -q '^usage: bareprof join ELF DUMP'
}

hostile() {
  dump=$folder/full/1.bpdump
  check "$label: builds" firmware full full
  check "$label: builds lean" firmware lean lean
  check "$label: run" start full
  check "$label: lean runs" start lean
  check "$label: other files" others
  check "$label: an ELF cut short" damaged 0 elf cut "$folder/full.elf" 64
  check "$label: section headers" damaged 10 elf sections "$folder/full.elf"
  check "$label: a dump cut short" damaged 0 dump cut "$dump" 64
  check "$label: each byte of a dump" damaged 0 dump flip "$dump"
  check "$label: a second dump" second
  check "$label: each byte, with its CRC" damaged 160 dump renew "$dump"
  check "$label: a gap" gap
  check "$label: a million gaps" many_gaps
  check "$label: stripped" stripped
  check "$label: no build id" no_build_id
  check "$label: weak functions with outcome bytes" weak_bytes
  check "$label: full disks" full_disk
  check "$label: wrong usage" usage
}
