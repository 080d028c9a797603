// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Builds the archive of the runtime for cargo's target, with `make lib` two
//! folders above this one, and tells cargo where the archive and the linker
//! scripts are. `src/lib.rs` calls the archive.
//!
//! The compiler may be any clang. The record layout belongs to rustc's own
//! LLVM: `rustc -vV` names its release, from which the raw version follows.
use std::{env, path::Path, path::PathBuf, process::Command};

fn wrong(what: &str) -> ! {
    eprintln!("bareprof: {what}");
    std::process::exit(1)
}

fn variable(name: &str) -> String {
    println!("cargo:rerun-if-env-changed={name}");
    env::var(name).unwrap_or_default()
}

/// Returns the LLVM release of the rustc that compiles the firmware.
fn release_of_rustc() -> u32 {
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let said = Command::new(&rustc).arg("-vV").output();
    let said = said.map(|s| String::from_utf8_lossy(&s.stdout).into_owned());
    said.unwrap_or_default()
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: "))
        .and_then(|version| version.split('.').next()?.parse().ok())
        .unwrap_or_else(|| {
            wrong(&format!("{rustc} -vV names no LLVM version; set RUSTC"))
        })
}

/// The same table as in runtime/image_layout.h.
fn raw_version_of(release: u32) -> u32 {
    match release {
        13 => 7,
        14..=17 => 8,
        18 => 9,
        19..=22 => 10,
        23 => 11,
        _ => wrong(&format!(
            "rustc is of LLVM {release}, and this bareprof knows 13 to 23; \
             get the bareprof that knows it"
        )),
    }
}

fn runs(program: &str) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.map_or(false, |output| output.status.success())
}

/// Returns BAREPROF_CLANG, or the clang of rustc's release, or the newest other
/// one.
fn compiler(release: u32) -> String {
    let given = variable("BAREPROF_CLANG");
    if !given.is_empty() {
        return given;
    }
    let numbers = std::iter::once(release).chain((13..=23).rev());
    numbers
        .map(|number| format!("clang-{number}"))
        .chain(["clang".to_string()])
        .find(|name| runs(name))
        .unwrap_or_else(|| {
            wrong("no clang is on the path; install one, or set BAREPROF_CLANG")
        })
}

/// Returns the archiver that belongs to a clang: in its folder, with its
/// suffix.
fn archiver(clang: &str) -> String {
    let given = variable("BAREPROF_AR");
    if !given.is_empty() {
        return given;
    }
    let path = Path::new(clang);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(name.replacen("clang", "llvm-ar", 1));
    beside.to_string_lossy().into_owned()
}

/// The end of an ABI's name: which floating-point registers take arguments.
fn float_abi(extensions: &str) -> &str {
    match extensions {
        e if e.contains('d') || e.starts_with('g') => "d",
        e if e.contains('f') => "f",
        e if e.starts_with('e') => "e",
        _ => "",
    }
}

/// The flags of an archive in packages/description, by the first word of its
/// target.
fn described(arch: &str) -> &'static str {
    let flags = include_str!("../description").lines();
    flags
        .filter_map(|line| line.strip_prefix("flags "))
        .filter_map(|line| line.split_once(' '))
        .find(|(name, _)| *name == arch)
        .map_or("", |(_, flags)| flags)
}

/// Returns clang's name for a target of rustc, and options for its core.
fn for_clang(target: &str) -> (String, String) {
    let arch = target.split('-').next().unwrap_or_default();
    if let Some(extensions) = arch.strip_prefix("riscv32") {
        let abi = float_abi(extensions);
        let flags = format!("-march=rv32{extensions} -mabi=ilp32{abi}");
        ("riscv32-none-elf".into(), flags)
    } else if let Some(extensions) = arch.strip_prefix("riscv64") {
        let abi = float_abi(extensions);
        let flags = format!("-march=rv64{extensions} -mabi=lp64{abi}");
        ("riscv64-none-elf".into(), flags + " -mcmodel=medany")
    } else if arch == "aarch64" {
        ("aarch64-none-elf".into(), described(arch).into())
    } else {
        (target.into(), described(arch).into())
    }
}

fn main() {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap());
    let root = here.join("../..");
    let out = env::var("OUT_DIR").unwrap();
    let target = env::var("TARGET").unwrap();
    if !target.contains("-none") {
        // A program for the host itself uses Rust's own profile runtime.
        return;
    }
    let release = release_of_rustc();
    let clang = compiler(release);
    let (name, flags) = for_clang(&target);
    // lld's relaxation for RISC-V damages code of clang 13 and 14.
    let relax = if name.starts_with("riscv") { "-mno-relax" } else { "" };
    let made = Command::new("make")
        .current_dir(&root)
        .args(["-s", "lib"])
        .arg(format!("BUILD={out}"))
        .arg(format!("TARGET={name}"))
        .arg(format!("LLVM={release}"))
        .arg(format!("LIB_CC={clang} --target={name}"))
        .arg(format!("LIB_AR={}", archiver(&clang)))
        .arg(format!("LIB_FLAGS={flags} {relax}"))
        .arg(format!(
            "LIB_DEFINES=-DBAREPROF_RAW_VERSION={}",
            raw_version_of(release)
        ))
        .env_remove("MAKEFLAGS")
        .status();
    if !made.map_or(false, |status| status.success()) {
        wrong(&format!(
            "make lib for {name} with {clang} failed; \
             BAREPROF_CLANG and BAREPROF_AR name other tools"
        ));
    }
    println!("cargo:rustc-link-search=native={out}/llvm-{release}/{name}");
    let scripts = root.join("linker-scripts");
    println!("cargo:rustc-link-search=native={}", scripts.display());
    println!("cargo:rustc-link-lib=static:-bundle=bareprof");
    for folder in ["runtime", "include", "Makefile"] {
        println!("cargo:rerun-if-changed={}", root.join(folder).display());
    }
}
