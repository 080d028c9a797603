# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Shares of functions and callers; a file and two dumps; rings that overflow.
# Sourced by run.

# Checks that taken - lost is the number of samples.
adds_up() {
  header "$folder/written.samples" | awk -v sum="$(awk '{n += $1}
    END {print n + 0}' "$folder/names")" -v ticks="$ticks" '
    { print "taken", $5, "lost", $4, "there are", sum, "ticks", ticks
      exit $5 - $4 != sum || $5 != ticks }'
}

run_shares() {
  rm -f "$folder"/*.samples
  check "$label: runs" sh -c "targets/run $1 $folder/shares.elf $folder \
    -icount shift=0 </dev/null >$folder/uart"
  [ -s "$folder/written.samples" ] || return 1
  ticks=$(sed -n 's/^ticks //p' "$folder/uart" | head -n 1)
  names "$folder/written.samples" "$folder/shares.elf" >"$folder/names"
  check "$label: taken less lost is what there is" adds_up
  check "$label: received" "$BAREPROF" receive -q "$folder/uart" \
    -o "$folder/seen.samples"
  check "$label: TEXT is what was written" \
    cmp "$folder/written.samples" "$folder/seen.samples"
  check "$label: BINARY is what was written" \
    cmp "$folder/written.samples" "$folder/seen-2.samples"
}

shares_right() {
  check "$label: a tenth in leaf_a" share leaf_a 100
  check "$label: a tenth in leaf_b for via_1" share "leaf_b via_1" 100
  check "$label: three tenths in leaf_b for via_2" share "leaf_b via_2" 300
  check "$label: half in leaf_c, all for via_2" share "leaf_c via_2" 500
}

# table BOARD ENTRIES
table() {
  label="sampler $1 table" folder=$out/$1-table
  mkdir -p "$folder"
  build $1 shares "$here/shares.c $here/work.c" -DSAMPLES=4000 \
    "-DROOM='BAREPROF_SAMPLER_TABLE($2)'" -DPERIOD="$(period_of $1)" &&
    run_shares $1 || return
  shares_right
  equal "$label: nothing is lost" 0 \
    "$(header "$folder/written.samples" | awk '{print $4}')"
}

ring() {
  label="sampler $1 ring" folder=$out/$1-ring
  mkdir -p "$folder"
  build $1 shares "$here/shares.c $here/work.c" -DSAMPLES=$3 \
    "-DROOM='BAREPROF_SAMPLER_RING($2)'" -DPERIOD="$(period_of $1)" &&
    run_shares $1 || return
  entries=$2
  [ $2 -lt $3 ] || entries=$ticks
  equal "$label: the last $2 are there" $entries "$(wc -l <"$folder/names")"
  check "$label: in the order of time" awk '
    $2 ~ /^leaf/ {leaves++; bad += spins}
    $2 == "spin_with_frame" {spins++}
    END {print leaves, spins, bad; exit bad || !leaves || spins < 12}' \
    "$folder/names"
}

# Callers of leaf functions, down to main: all samples in a leaf's loop have
# them.
chains_right() {
  awk '$2 ~ /^leaf_/ {
      leaves++
      if ($4 == $3 && $3 ~ /^via/ && $5 == "work" && $6 == "main") right++
    }
    END {
      print right, "of", leaves
      exit !(leaves > 1000 && right >= 0.97 * leaves)
    }' "$folder/names"
}

# But for its first and last instructions.
no_callers() {
  awk '$2 == "spin_with_frame" {
      n++
      if ($4 != "-" || $5 != "-") {print; bad++}
    }
    END {print n; exit bad > 3 || n < 100}' "$folder/names"
}

chained() {
  label="sampler $1 chain" folder=$out/$1-chain
  mkdir -p "$folder"
  build $1 shares "$here/shares.c $here/work.c" -DSAMPLES=$2 -DFRAMES \
    -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
    "-DROOM='BAREPROF_SAMPLER_CHAIN($2+20,5)'" -DPERIOD="$(period_of $1)" &&
    run_shares $1 || return
  check "$label: leaves have their callers" chains_right
  check "$label: wild frame pointers have none" no_callers
}

# Prints the hash of an ELF's build id, computed here: FNV-1a from 0.
build_hash() {
  hash=0
  for byte in $(llvm-readelf-22 -n "$1" | sed -n 's/.*Build ID: *//p' |
    sed 's/../0x& /g'); do
    hash=$((((hash ^ byte) * 16777619) & 4294967295))
  done
  echo "$hash"
}

# told FILE ELF: prints the message of samples about the build.
told() {
  "$BAREPROF" samples --lines "$2" "$1" -o "$folder/told.prof" 2>&1 |
    grep -o 'does not match' || echo "no word of it"
}

# builds BOARD: with our linker script, samples contain their build's id.
builds() {
  label="sampler $1 builds" folder=$out/$1-builds script=full
  mkdir -p "$folder"
  for samples in 500 100; do
    build $1 shares$samples "$here/shares.c $here/work.c" -DSAMPLES=$samples \
      "-DROOM='BAREPROF_SAMPLER_TABLE(64)'" -DPERIOD="$(period_of $1)" || break
  done
  script=
  rm -f "$folder"/*.samples
  start $1 shares100 -icount shift=0 >"$folder/uart"
  check "$label: received" "$BAREPROF" receive -q "$folder/uart" \
    -o "$folder/seen.samples"
  for samples in written seen; do
    file=$folder/$samples.samples
    equal "$label: $samples have the hash of the build id" \
      "$(build_hash "$folder/shares100.elf")" \
      "$(od -An -v -tu4 -j 28 -N 4 "$file" | tr -d ' ')"
    equal "$label: $samples are refused with another build's ELF" \
      "no word of it; does not match" \
      "$(told "$file" "$folder/shares100.elf"); $(
        told "$file" "$folder/shares500.elf")"
  done
  # Samples without an id, as older samplers wrote them.
  { head -c 28 "$file"; printf '\0\0\0\0'; tail -c +33 "$file"; } \
    >"$folder/nameless.samples"
  equal "$label: samples that name no build are taken" "no word of it" \
    "$(told "$folder/nameless.samples" "$folder/shares100.elf")"
}

for board in mps2-an385 microbit virt-riscv32 virt-riscv64 virt-aarch64 \
  virt-cortex-a15; do
  table $board 256
done
for board in mps2-an385 virt-riscv32 virt-aarch64 virt-cortex-a15; do
  chained $board 2500
done
ring mps2-an385 64 500
ring virt-riscv64 1000 500
builds mps2-an385
