# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A row of the matrix: runs the same program in QEMU as a full and as a lean
# image, and with -profile-correlate=binary, where sections of records and names
# have other names. `run` sources this file.

# Before clang 18 there is no such correlation.
correlates() { [ "$llvm" -ge 18 ]; }

# Succeeds if the row also makes an image with 4-byte counters: with the front
# end's counters, which all its objects have; without FULL on one board.
packs() {
  case $mode in coverage | mcdc | cxx) ;; *) return 1 ;; esac
  [ -n "${FULL:-}" ] || [ "$board $llvm" = "mps2-an385 22" ]
}

row_images() {
  firmware full full "$profile" -DFULL && firmware lean lean &&
    start full && start lean || return 1
  ! packs ||
    { firmware packed packed "$profile" \
      -DEXPECTED_STATUS=BAREPROF_E_PACKED \
      LAUNCHER="$BAREPROF cc --counters=32-packed --" &&
      start packed; } || return 1
  ! correlates ||
    { firmware correlated lean "$profile -mllvm -profile-correlate=binary" &&
      start correlated; }
}

# The full image's joined profile equals the profile that it wrote itself.
row_bytes() {
  for number in 1 2; do
    join "$folder/joined" "$folder/full.elf" "$folder/full/$number.bpdump" &&
      cmp "$folder/full/$number.profraw" "$folder/joined" || return 1
  done
}

# Full frames give the same profile without the ELF, except without bitmaps.
row_frames() {
  for number in 1 2; do
    "$out/compare" "$folder/full/$number.profraw" \
      "$folder/full/f$number.bpdump" || return 1
  done
}

# Tests the sum of two dumps. The order of functions does not add up; code that
# is covered in both is covered.
row_sum() {
  set -- "$folder/full.elf" "$folder/full/1.bpdump" "$folder/full/2.bpdump"
  case $mode in temporal) refused "function order" "$@"; return ;; esac
  join "$folder/joined" "$@" || return 1
  case $mode in single-byte | entry | block)
    cmp "$folder/joined" "$folder/full/1.profraw"
    return ;;
  esac
  "llvm-profdata-$llvm" merge "$folder/full/1.profraw" \
    "$folder/full/2.profraw" -o "$folder/sum" &&
    "llvm-profdata-$llvm" merge "$folder/joined" -o "$folder/joined.sum" &&
    same_text "$folder/sum" "$folder/joined.sum"
}

# Succeeds if the last compared text has values of all kinds, with names.
has_values() {
  set -- '[;:]plus:13$' '^513:9$'
  [ $mode = vtables ] && set -- '^_ZNK6square4areaEj:6$' '_ZTV6square, *6 \]'
  for seen; do
    grep -q "$seen" "$folder/text.1" ||
      { echo "no $seen: $(one_line <"$folder/text.1")"; return 1; }
  done
}

# row_like NAME: its joined profile equals the full image's, except for
# addresses.
row_like() {
  for number in 1 2; do
    join "$folder/$1/$number.profraw" "$folder/$1.elf" \
      "$folder/$1/$number.bpdump" || return 1
    # Values are addresses: only names can be compared.
    case $mode in
    ir-values | vtables)
      same_text "$folder/full/$number.profraw" \
        "$folder/$1/$number.profraw" ;;
    *)
      "$out/compare" "$folder/full/$number.profraw" \
        "$folder/$1/$number.profraw" ;;
    esac || return 1
  done
  same_text "$folder/full/1.profraw" "$folder/$1/1.profraw" || return 1
  case $mode in ir-values | vtables) has_values ;; esac
}

# Sections that only the host reads may be compressed. llvm-cov cannot read
# these.
row_compressed() {
  "$OBJCOPY" --compress-sections=__llvm_prf_data=zlib \
    --compress-sections=__llvm_prf_names=zlib "$folder/lean.elf" \
    "$folder/compressed.elf" &&
    "$READELF" -SW "$folder/compressed.elf" | grep -q 'llvm_prf_data.* [A-Z]*C ' &&
    join "$folder/joined" "$folder/compressed.elf" "$folder/lean/1.bpdump" &&
    cmp "$folder/lean/1.profraw" "$folder/joined" || return 1
  ! "$BAREPROF" extract "$folder/compressed.elf" -o "$folder/meta" \
    2>"$folder/why" && grep -q 'compressed' "$folder/why"
}

# Compares bytes for bits of MC/DC (--mcdc=bytes) with clang's bitmaps: in a
# lean image, and in a full one that writes its profile itself or sends it.
row_outcomes() {
  flags="$BAREPROF cc --counters=byte"
  firmware bits full "$profile" -DFULL LAUNCHER="$flags --" && start bits &&
    firmware bytes lean "$profile" "" LAUNCHER="$flags --mcdc=bytes --" &&
    start bytes && firmware wide full "$profile" -DFULL \
    LAUNCHER="$flags --mcdc=bytes --" && start wide || return 1
  for number in 1 2; do
    bits=$folder/bits/$number.profraw
    join "$folder/bytes/$number.profraw" "$folder/bytes.elf" \
      "$folder/bytes/$number.bpdump" &&
      "$BAREPROF" merge "$folder/wide/$number.profraw" -o "$folder/merged" ||
      return 1
    for bytes in "$folder/bytes/$number.profraw" "$folder/merged" \
      "$folder/wide/f$number.bpdump"; do
      same_flat 0 "$bits" "$bytes" || return 1
    done
    same_flat 1 "$folder/full/$number.profraw" "$bytes" || return 1
  done
  # Versions that have no bitmaps, or other ones.
  set -- "$folder/bytes.elf" "$folder/bytes/1.bpdump"
  refused "before 9 have no MC/DC" --raw-version 8 "$@" &&
    refused "stores MC/DC bitmaps differently" --raw-version 9 "$@" ||
    return 1
  "$BAREPROF" doctor "$folder/bytes.elf" >"$folder/said" ||
    { grep '^error' "$folder/said"; return 1; }
  "$BAREPROF" match "$folder/bytes/1.profraw" "$folder/bytes.elf" \
    >"$folder/said" && grep -q '^taken  *100.000 %' "$folder/said" ||
    { one_line <"$folder/said"; return 1; }
  "$BAREPROF" merge --for-llvm 18 "$folder/wide/1.profraw" \
    -o "$folder/merged" 2>"$folder/said"
  grep -q 'MC/DC bitmaps of LLVM 19' "$folder/said" ||
    { echo "for LLVM 18: $(cat "$folder/said")"; return 1; }
  "llvm-size-$LLVM_HOST" -A "$folder/bytes.elf" |
    awk '$1 == "__llvm_prf_bits" && $2 { print "it has bitmaps"; exit 1 }'
}

# Sets as many bytes as counters, and more, in a record of a 32-bit ELF, little-
# endian: NumCounters is at 32 of it, NumBitmapBytes at 44.
row_damaged() {
  set -- $("$READELF" -SW "$folder/bytes.elf" |
    sed -n 's/.*__llvm_prf_data *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
  at=$((0x$1))
  while [ "$(od -An -tu4 -j $((at + 44)) -N 4 "$folder/bytes.elf")" -eq 0 ]; do
    at=$((at + 48))
  done
  for size in "$(od -An -tu1 -j $((at + 32)) -N 1 "$folder/bytes.elf")" 255; do
    cp "$folder/bytes.elf" "$folder/damaged.elf" &&
      printf "\\$(printf %o $size)" | dd of="$folder/damaged.elf" bs=1 conv=notrunc \
        status=none seek=$((at + 44)) &&
      refused "the records do not match the counters" "$folder/damaged.elf" \
        "$folder/bytes/1.bpdump" || return 1
  done
}

# same_flat BITMAPS A B: compares each function; BITMAPS=1: only its bitmap.
same_flat() {
  for flat in "$2" "$3"; do
    "llvm-profdata-$llvm" merge -text "$flat" -o - |
      awk -v bitmaps="$1" -f tests/place/flat.awk |
      LC_ALL=C sort >"$flat.flat" || return 1
  done
  grep -q ' 0x[0-9a-f]*[1-9a-f]' "$2.flat" && cmp "$2.flat" "$3.flat"
}

# LLVM's tools report an error for a profile that such an image writes itself.
row_refused() {
  for action in "merge -o $folder/refused" show; do
    ! "llvm-profdata-$llvm" $action "$folder/wide/1.profraw" \
      >"$folder/said" 2>&1 && grep -q 'bitmap offset' "$folder/said" || {
      echo "$action: $(one_line <"$folder/said")"
      return 1
    }
  done
}

# The image has no records and names: debug information describes them.
row_described() {
  correlate=-profile-correlate=debug-info
  correlates || correlate=-debug-info-correlate
  firmware described lean "$profile -mllvm $correlate" && start described &&
    join "$folder/joined" "$folder/described.elf" \
      "$folder/described/1.bpdump" &&
    same_text "$folder/full/1.profraw" "$folder/joined"
}

# cov NAME: prints llvm-cov's output for the image and its profile.
cov() {
  "llvm-profdata-$llvm" merge "$folder/$1/1.profraw" \
    -o "$folder/$1/1.profdata" &&
    "llvm-cov-$llvm" report "$folder/$1.elf" \
      -instr-profile="$folder/$1/1.profdata" &&
    "llvm-cov-$llvm" export "$folder/$1.elf" \
      -instr-profile="$folder/$1/1.profdata"
}

row_cov() {
  cov full >"$folder/cov.1" || return 1
  grep -q '^TOTAL  *[1-9]' "$folder/cov.1" ||
    { one_line <"$folder/cov.1"; return 1; }
  for image; do
    cov $image >"$folder/cov.2" && cmp "$folder/cov.1" "$folder/cov.2" ||
      { echo "$image"; return 1; }
  done
}

# ---- what is in flash ----

# Prints name, flags and size of the loaded sections.
loaded() {
  "$READELF" -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] //p' |
    awk '$2 != "NOBITS" && $7 ~ /A/ { print $1, $7, $5 }'
}

# Compares the plain and the lean image with flash.awk, and byte by byte.
# allowed: bytes of constructors' addresses, before clang 18, and of the version
# word that other modes than the front end's have.
row_flash() {
  allowed=0
  correlates || allowed=32
  case $mode in coverage | mcdc | cxx) ;; *) allowed=$((allowed + 8)) ;; esac
  firmware plain lean "" || return 1
  { loaded "$folder/plain.elf" && echo lean && loaded "$folder/lean.elf" &&
    "$READELF" -SlW "$folder/lean.elf"; } |
    awk -v allowed=$allowed -f $here/flash.awk >"$folder/flash.log"
  "$OBJCOPY" -O binary "$folder/lean.elf" "$folder/flash" &&
    hex "$folder/flash" >"$folder/flash.hex" || return 1
  # Of records NameRef and hash, which have no like.
  in_flash __llvm_prf_data 16 >>"$folder/flash.log" &&
    echo "records are in the flash" >>"$folder/flash.log"
  in_flash __llvm_prf_names 4096 >>"$folder/flash.log" &&
    echo "names are in the flash" >>"$folder/flash.log"
  [ ! -s "$folder/flash.log" ] || { cat "$folder/flash.log"; return 1; }
}

hex() { od -An -v -tx1 "$@" | tr -d ' \n'; }

# in_flash SECTION BYTES: succeeds if its first bytes are somewhere in the
# flash.
in_flash() {
  "$OBJCOPY" --dump-section "$1=$folder/section" "$folder/lean.elf" \
    /dev/null && hex -N "$2" "$folder/section" >"$folder/section.hex" &&
    [ -s "$folder/section.hex" ] || { echo "no section $1"; return 0; }
  grep -q -f "$folder/section.hex" "$folder/flash.hex"
}

row() {
  check "$label: builds and runs" row_images
  check "$label: joined is what was written" row_bytes
  check "$label: received is what was written" row_frames
  check "$label: two dumps add up" row_sum
  images=lean
  correlates && images="lean correlated"
  packs && images="$images packed"
  for image in $images; do
    check "$label: $image is as full" row_like $image
  done
  [ "$mode" != mcdc ] || check "$label: compressed sections" row_compressed
  [ "$mode" != mcdc ] || {
    check "$label: MC/DC with bytes is as with bits" row_outcomes
    check "$label: LLVM refuses raw profiles with bytes" row_refused
    case $board-$llvm in mps2-an385-22)
      check "$label: a record of more bytes than counters" row_damaged ;;
    esac
  }
  [ "$mode" != ir ] ||
    check "$label: described by debug information" row_described
  check "$label: lean flash grows by code alone" row_flash
  case $mode in coverage | mcdc | cxx | single-byte)
    check "$label: llvm-cov says the same" row_cov $images ;;
  esac
}
