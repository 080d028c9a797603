# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=sh
#
# Debian's rustc, and its library for the boards' targets. Sourced by rust and
# objectcode.

# rustc_of FOLDER: FOLDER/rustc, whose targets are ours, and the host's its own;
# $library. Fails where there is no rustc with its source.
rustc_of() {
  rust_folder=$1 root=${RUST_ROOT:-}
  library=$(ls -d "$root"/usr/src/rustc-*/library 2>/dev/null | tail -n 1)
  [ -x "$root/usr/bin/rustc" ] && [ -n "$library" ] || return 1
  cat >"$rust_folder/rustc" <<EOF
#!/bin/sh
LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH
case " \$* " in
  *" --target "*-none*)
    exec $root/usr/bin/rustc --sysroot $rust_folder/root "\$@"
    ;;
esac
exec $root/usr/bin/rustc "\$@"
EOF
  chmod +x "$rust_folder/rustc"
}

# core TARGET: compiles the library's lowest crates, in their own edition.
core() {
  to=$rust_folder/root/lib/rustlib/$1/lib
  mkdir -p "$to"
  edition=$(sed -n 's/^edition = "\(.*\)"/\1/p' "$library/core/Cargo.toml")
  set -- --target "$1" --crate-type rlib -C opt-level=s -C panic=abort \
    -Z force-unstable-if-unmarked --cap-lints allow
  RUSTC_BOOTSTRAP=1 "$rust_folder/rustc" --crate-name core "$@" \
    --edition "$edition" "$library/core/src/lib.rs" -o "$to/libcore.rlib" &&
    RUSTC_BOOTSTRAP=1 "$rust_folder/rustc" --crate-name compiler_builtins "$@" \
      --edition 2021 --extern core="$to/libcore.rlib" tests/rust/builtins.rs \
      -o "$to/libcompiler_builtins.rlib"
}
