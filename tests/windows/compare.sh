# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs every command on the same files with both tools. `run` sources this file.

# Prints what both run, one command line a line, with IN for the file's name
# and OUT for that of the output.
lines_for() {
  case $1 in
    *.profraw | *.profdata | *.proftext)
      echo "show IN"
      echo "show IN --json"
      echo "merge IN -o OUT"
      echo "merge --text IN -o OUT"
      echo "order IN" ;;
    *.elf)
      echo "doctor IN"
      echo "doctor IN --json"
      echo "extract IN -o OUT"
      echo "probes IN" ;;
    *.log | *.txt)
      echo "receive IN -o OUT"
      echo "receive --quiet --partial IN -o OUT" ;;
    *.bpdump)
      echo "show IN"
      echo "merge IN -o OUT" ;;
  esac
}

# Runs PROGRAM... with the words of $line in folder $1: status, output, errors
# and the file, as one listing. llvm-cxxfilt is for Linux: neither finds it.
listing() {
  listing_folder=$1
  shift
  (
    cd "$listing_folder" || exit
    rm -f out out.* out-* stdout stderr
    # Neither IN nor OUT has blanks.
    # shellcheck disable=SC2046
    "$@" $(echo "$line" | sed "s/\<IN\>/$name/g; s/\<OUT\>/out.bin/g") \
      </dev/null >stdout 2>stderr
    echo "status $?"
    cksum <stdout
    cat stderr
    for listing_out in out*; do
      [ -f "$listing_out" ] && echo "$listing_out $(cksum <"$listing_out")"
    done
  )
}

# The files of other tiers, the smallest first, each contents once.
inputs() {
  find "$BUILD" "$@" -type f -size -600k \( -name '*.profraw' -o \
    -name '*.profdata' -o -name '*.proftext' -o -name '*.elf' -o \
    -name '*.log' -o -name '*.bpdump' \) ! -path "*/tests/windows/*" \
    ! -path '*/tiers/*.log' 2>/dev/null | LC_ALL=C sort |
    grep -v '[^A-Za-z0-9_./+-]' |
    xargs -r cksum 2>/dev/null | sort -k 2,2n -k 1,1n | awk '
      !seen[$1, $2]++ {
        kind = $3
        sub(/.*\./, "", kind)
        if (++count[kind] <= most)
          print $3
      }' most="$1"
}

# Writes what differs to $OUT/differs, and the number of command lines.
compare_all() {
  mkdir -p "$OUT/linux" "$OUT/wine"
  : >"$OUT/differs" >"$OUT/again"
  compared=0 again=0
  inputs 25 >"$OUT/inputs"
  while read -r file; do
    name=in.${file##*.}
    cp "$file" "$OUT/linux/$name"
    cp "$file" "$OUT/wine/$name"
    lines_for "$file" >"$OUT/lines"
    while read -r line; do
      compared=$((compared + 1))
      listing "$OUT/linux" env PATH=/none "$TOOL" >"$OUT/linux.txt"
      listing "$OUT/wine" wine "$EXE" >"$OUT/wine.txt"
      cmp -s "$OUT/linux.txt" "$OUT/wine.txt" && continue
      # Under load wine may fail to start a program. The output shows it, and is
      # kept in `again`.
      again=$((again + 1))
      { echo "== $line of $file"
        diff "$OUT/linux.txt" "$OUT/wine.txt"; } >>"$OUT/again"
      [ "$again" -gt 3 ] || listing "$OUT/wine" wine "$EXE" >"$OUT/wine.txt"
      cmp -s "$OUT/linux.txt" "$OUT/wine.txt" && continue
      { echo "== $line of $file"
        diff "$OUT/linux.txt" "$OUT/wine.txt"; } >>"$OUT/differs"
    done <"$OUT/lines"
  done <"$OUT/inputs"
}

# The comparison must cover more than an archive of the tool or a folder.
compared_enough() {
  [ "$compared" -ge 300 ] || {
    echo "only $compared command lines"
    return 1
  }
}

no_difference() {
  [ -s "$OUT/differs" ] || return 0
  head -20 "$OUT/differs"
  return 1
}
