# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Replaces Rust's own runtime, in the library profiler_builtins, with the port:
# the same programs, linked with each, leave the same. tests/hosted/run sources
# this file, and sets llvm and OUT; only for the LLVM of rustc.

# rust_folder: makes a copy of rustc's libraries, with our archive in
# profiler_builtins.
rust_folder() {
  rust_own=$(rustc --print sysroot)/lib/rustlib/x86_64-unknown-linux-gnu/lib
  rust_copy=$OUT/rust/lib/rustlib/x86_64-unknown-linux-gnu/lib
  rust_library=$(basename "$rust_own"/libprofiler_builtins-*.rlib)
  rust_out=$(cd "$OUT" && pwd)
  rm -rf "$OUT/rust"
  mkdir -p "$rust_copy" "$OUT/rust/members" &&
    ln -s "$rust_own"/* "$rust_copy" &&
    rm "$rust_copy/$rust_library" &&
    cp "$rust_own/$rust_library" "$rust_copy" &&
    "llvm-ar-$llvm" t "$rust_copy/$rust_library" |
    grep 'InstrProf\|GCDA\|MMap' |
      xargs "llvm-ar-$llvm" d "$rust_copy/$rust_library" &&
    (cd "$OUT/rust/members" &&
      "llvm-ar-$llvm" x "$rust_out/resource${theirs#"$folder"}") &&
    "llvm-ar-$llvm" q "$rust_copy/$rust_library" "$OUT/rust/members"/*
}

# rust_program NAME OPTIONS...: builds OUT/theirs/NAME and OUT/ours/NAME.
rust_program() {
  name=$1
  shift
  set -- --edition 2021 -C link-arg=-Wl,--build-id=0x0123456789 "$@" \
    tests/hosted/actor.rs
  rustc "$@" -o "$OUT/theirs/$name" &&
    rustc --sysroot "$OUT/rust" "$@" -o "$OUT/ours/$name"
}

rust_programs() {
  rust_folder && rust_program rust -C instrument-coverage &&
    # The program contains our runtime.
    ! cmp -s "$OUT/theirs/rust" "$OUT/ours/rust" || return
  [ -n "${FULL:-}" ] || return 0
  rust_program rustlto -C instrument-coverage -C opt-level=2 -C lto &&
    rust_program rustpgo -C profile-generate -C opt-level=1 \
      -C llvm-args=-disable-vp
}

rust() {
  rust_llvm=$(rustc -vV 2>/dev/null |
    sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
  if [ -z "$rust_llvm" ]; then
    [ "$llvm" != 22 ] || skip "hosted rust" "rustc is not here"
    return
  fi
  [ "$rust_llvm" = "$llvm" ] || return 0
  if ! find "$(rustc --print sysroot)/lib/rustlib" \
    -name 'libprofiler_builtins-*.rlib' | grep -q .; then
    skip "hosted rust" "this rustc has no profiler_builtins"
    return
  fi
  if ! rust_programs >"$OUT/errors" 2>&1; then
    not_ok "hosted $llvm rust programs" "$(one_line <"$OUT/errors")"
    return
  fi
  for name in rust ${FULL:+rustlto rustpgo}; do
    same "$name" $name - 5
    same "$name, a thread" $name q 5 thread
    same "$name, a pool" $name p%m 5 thread
    same "$name, a panic" $name q 5 panic
    same "$name, a panic caught" $name q caught 3
    same "$name, exit" $name %p 4 exit
    same "$name, abort" $name %p 4 abort
  done
}
