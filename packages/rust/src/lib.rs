// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Coverage of firmware in Rust: the counts leave the target through a closure.
//!
//! ```no_run
//! unsafe { bareprof::init() };
//! // ... run what is measured ...
//! bareprof::send(bareprof::TEXT, |bytes| uart.write_all(bytes))?;
//! # Ok::<(), bareprof::Error<()>>(())
//! ```
//!
//! Compile your own crates with `-C instrument-coverage -Z
//! no-profiler-runtime`; `bareprof-rustc`, beside this crate, does that. Link
//! with a linker script that places the profile (`-Tbareprof-insert.ld`).
//! `docs/how-to/rust.md` explains all steps, and `include/*.h` each function of the
//! runtime.
//!
//! This crate allocates no memory. A dump needs some 400 bytes of stack, and
//! the stack of the closure.
#![no_std]
#![warn(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

use core::{fmt, ptr, slice, str};

/// `struct bareprof_sink`, the receiver of the bytes.
#[repr(C)]
struct Sink {
    write: unsafe extern "C" fn(*mut u8, *const u8, usize) -> i32,
    context: *mut u8,
}

extern "C" {
    fn bareprof_init();
    fn bareprof_reset();
    fn bareprof_status() -> i32;
    fn bareprof_size() -> usize;
    fn bareprof_write(sink: *const Sink) -> i32;
    fn bareprof_send(sink: *const Sink, options: u32) -> i32;
    fn bareprof_error_name(code: i32) -> *const u8;
}

/// Why there is no profile: a negative `enum bareprof_error`. `bareprof.h` says
/// what each one means and what to do. Displays its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(pub i32);

impl fmt::Display for Code {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the name is a constant in ASCII that ends in 0.
        let name = unsafe {
            let begin = bareprof_error_name(self.0);
            let mut size = 0;
            while *begin.add(size) != 0 {
                size += 1;
            }
            str::from_utf8_unchecked(slice::from_raw_parts(begin, size))
        };
        to.write_str(name)
    }
}

/// Why [`send`] or [`write`] failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error<E> {
    /// The closure's own error. The dump is incomplete, and the host drops it.
    Sink(E),
    /// The runtime's error. The closure got no bytes.
    Profile(Code),
}

impl<E: fmt::Debug> fmt::Display for Error<E> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Sink(error) => write!(to, "the sink's error: {:?}", error),
            Error::Profile(code) => code.fmt(to),
        }
    }
}

/// The form of a dump, for [`send`]. `bareprof_wire.h` defines these numbers
/// and more.
pub type Options = u32;
/// Lines of text, which may share a console with a log.
pub const TEXT: Options = 0;
/// Bytes: smaller, for a channel of its own.
pub const BINARY: Options = 1;
/// Added to one of the two: the dump has counters only, and the host takes
/// records and names from the ELF. For images linked with
/// `bareprof-lean-insert.ld`.
pub const LEAN: Options = 2;

/// The context of a sink: the closure, and the error that it returned.
struct State<F, E> {
    write: F,
    error: Option<E>,
}

unsafe extern "C" fn write_piece<F, E>(
    context: *mut u8,
    bytes: *const u8,
    size: usize,
) -> i32
where
    F: FnMut(&[u8]) -> Result<(), E>,
{
    // SAFETY: context is the State in `run`, which lives during this call.
    let state = unsafe { &mut *(context as *mut State<F, E>) };
    let piece = unsafe { slice::from_raw_parts(bytes, size) };
    match (state.write)(piece) {
        Ok(()) => 0,
        Err(error) => {
            state.error = Some(error);
            1
        }
    }
}

/// Runs `call`, a function of the runtime, with a sink that calls `write`.
fn run<F, E>(
    write: F,
    call: impl FnOnce(*const Sink) -> i32,
) -> Result<(), Error<E>>
where
    F: FnMut(&[u8]) -> Result<(), E>,
{
    let mut state = State { write, error: None };
    let sink = Sink {
        write: write_piece::<F, E>,
        context: ptr::addr_of_mut!(state) as *mut u8,
    };
    match (call(&sink), state.error) {
        (0, _) => Ok(()),
        (_, Some(error)) => Err(Error::Sink(error)),
        (code, None) => Err(Error::Profile(Code(code))),
    }
}

/// Initialises counters and bitmaps.
///
/// # Safety
/// Call it once, before the first instrumented function whose counts matter,
/// and while nothing else runs: it writes all counters.
pub unsafe fn init() {
    unsafe { bareprof_init() }
}

/// Begins to count again, from 0.
pub fn reset() {
    // SAFETY: only instrumented code writes counters. It may lose counts of
    // this moment, as bareprof.h says.
    unsafe { bareprof_reset() }
}

/// Returns whether a profile can be written, without writing one.
pub fn status() -> Result<(), Code> {
    match unsafe { bareprof_status() } {
        0 => Ok(()),
        code => Err(Code(code)),
    }
}

/// Returns how many bytes [`write`] would give to its closure, 0 if it cannot.
pub fn size() -> usize {
    unsafe { bareprof_size() }
}

/// Sends a dump that `bareprof report` and `bareprof receive` find in a log,
/// with check sums and the build id.
///
/// The closure gets the dump in pieces, in order, in the caller's context. A
/// piece is valid during the call only. The closure may wait, and kick a
/// watchdog. Its error ends the dump.
pub fn send<F, E>(options: Options, write: F) -> Result<(), Error<E>>
where
    F: FnMut(&[u8]) -> Result<(), E>,
{
    run(write, |sink| unsafe { bareprof_send(sink, options) })
}

/// Writes the bytes of a `.profraw` file: for semihosting, or a file system.
/// The closure is called in the same way as by [`send`].
pub fn write<F, E>(write: F) -> Result<(), Error<E>>
where
    F: FnMut(&[u8]) -> Result<(), E>,
{
    run(write, |sink| unsafe { bareprof_write(sink) })
}
