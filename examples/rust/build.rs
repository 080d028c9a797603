// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The board's linker scripts lie beside Cargo.toml.
fn main() {
    let here = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    println!("cargo:rustc-link-search={here}");
    for script in ["mps2-an385.ld", "virt-riscv32.ld", "regions.ld"] {
        println!("cargo:rerun-if-changed={here}/{script}");
    }
}
