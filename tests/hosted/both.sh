# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds programs with compiler-rt's runtime (OUT/theirs) and with the hosted
# port (OUT/ours), runs both in separate folders, and prints what they leave as
# text. tests/hosted/run sources this file, and sets llvm and OUT.

# ---- programs ------------------------------------------------------------

# Makes a resource folder with our archive instead of compiler-rt's.
resource_folder() {
  folder=$("clang-$llvm" -print-resource-dir) || return 1
  theirs=$(profile_archive "$llvm")
  $MAKE -s hosted LLVM="$llvm" || return 1
  mkdir -p "$OUT/resource$(dirname "${theirs#"$folder"}")"
  ln -s "$folder/include" "$OUT/resource/include"
  cp "$BUILD/llvm-$llvm/x86_64-pc-linux-gnu/libclang_rt.profile-x86_64.a" \
    "$OUT/resource${theirs#"$folder"}"
}

# link NAME OPTIONS...: links OUT/theirs/NAME and OUT/ours/NAME.
link() {
  name=$1
  shift
  "clang-$llvm" "$@" -L"$OUT/theirs" -Wl,--build-id=0x0123456789 -ldl \
    -o "$OUT/theirs/$name" &&
    "clang-$llvm" -resource-dir="$OUT/resource" "$@" -L"$OUT/ours" \
      -Wl,--build-id=0x0123456789 -ldl -o "$OUT/ours/$name"
}

# program NAME SOURCE OPTIONS...
program() {
  name=$1
  source=tests/hosted/$2
  shift 2
  "clang-$llvm" "$@" -c "$source" -o "$OUT/$name.o" &&
    link "$name" "$@" "$OUT/$name.o"
}

# Adds bitmaps if the driver has a flag for MC/DC.
continuous_program() {
  has_continuous=
  [ "$llvm" -ge 21 ] || return 0
  has_continuous=yes
  program continuous actor.c -fprofile-instr-generate -fprofile-continuous \
    -fcoverage-mapping -fcoverage-mcdc
}

build_programs() {
  MOVED="-mllvm -runtime-counter-relocation"
  resource_folder &&
    program front actor.c -O1 -fprofile-instr-generate -no-pie &&
    program pie actor.c -O1 -fprofile-generate -fPIE -pie &&
    program moved actor.c -O1 -fprofile-instr-generate -no-pie $MOVED &&
    program named actor.c -O1 -fprofile-instr-generate=f/%p_x.profraw &&
    program library.so library.c -O1 -fPIC -shared -fprofile-generate &&
    program linked main.c -DLIBRARY -fprofile-instr-generate -l:library.so &&
    continuous_program &&
    link lld "--ld-path=ld.lld-$llvm" -Wl,--gc-sections -fprofile-generate \
      "$OUT/pie.o"
}

# ---- runs ----------------------------------------------------------------

# start SIDE PROGRAM NAME COMMANDS...: runs in OUT/SIDE.run, which is kept. NAME
# is LLVM_PROFILE_FILE, or - for none.
start() {
  side=$1
  program=$2
  file=$3
  shift 3
  mkdir -p "$OUT/$side.run"
  (
    cd "$OUT/$side.run" || exit
    unset LLVM_PROFILE_FILE
    export LD_LIBRARY_PATH="../$side"
    [ "$file" = - ] || export LLVM_PROFILE_FILE="$file"
    "../$side/$program" "$@" >>"../$side.out" 2>>"../$side.err"
    echo "status $?" >>"../$side.out"
  ) 2>/dev/null
}

# Replaces the numbers of processes, which differ. Signatures are longer.
mask() { sed -E ':a; s/(^|[^0-9])[0-9]{2,7}([^0-9]|$)/\1PID\2/; ta'; }

# told FILE: prints what LLVM's tools show of a profile, cached for the same
# bytes.
told() {
  told=../told-$(md5sum <"$1" | cut -c1-32)
  [ -e "$told" ] || {
    "llvm-profdata-$llvm" show --all-functions --counts \
      --ic-targets --memop-sizes --binary-ids "$1" 2>&1 |
      sed 's/^error: [^:]*: /error: /'
    # Adds bitmaps, which the command above does not show.
    [ -z "$has_continuous" ] || "llvm-profdata-$llvm" merge -text \
      -o - "$1" 2>/dev/null | grep '^\(\$\|0x\)'
  } >"$told"
  cat "$told"
}

# Prints what a run leaves, as text.
summary() {
  (
    cd "$OUT/$1.run" || exit
    find . -mindepth 1 | while read -r path; do
      printf '%s %s %s\n' "$(echo "$path" | mask)" \
        "$(stat -c '%A %s' "$path")" "$path"
    done | sort | while read -r masked mode size path; do
      [ -d "$path" ] && size=0
      echo "$masked $mode $size"
      [ ! -f "$path" ] || told "$path"
    done
  )
  mask <"$OUT/$1.out"
}

forget() {
  for side in theirs ours; do
    rm -rf "${OUT:?}/$side.run" "$OUT/$side.out" "$OUT/$side.err"
    mkdir "$OUT/$side.run"
    : >"$OUT/$side.out"
    : >"$OUT/$side.err"
  done
}

compare() {
  summary theirs >"$OUT/theirs.txt"
  summary ours >"$OUT/ours.txt"
  [ -s "$OUT/theirs.txt" ] && diff "$OUT/theirs.txt" "$OUT/ours.txt"
}

same_run() {
  forget
  start theirs "$@"
  start ours "$@"
  compare
}

# same LABEL PROGRAM NAME COMMANDS...: checks what same_run compares.
same() {
  same_label=$1
  shift
  check "hosted $llvm $same_label" same_run "$@"
}
