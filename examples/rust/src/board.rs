// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Start-up code and the UART of two boards of QEMU: mps2-an385 (Cortex-M3) and
//! virt (RV32). With cortex-m-rt or riscv-rt you write none of this.
use core::{arch::global_asm, panic::PanicInfo, ptr};

// The counters come first: `reset` is measured, as all of this crate is, and
// what counts before bareprof_init is lost.
#[cfg(target_arch = "arm")]
global_asm!(
    ".section .vectors, \"a\"",
    ".word stack_top, first, stop, stop",
    ".section .text.first, \"ax\"",
    ".thumb_func",
    "first:",
    "bl bareprof_init",
    "b reset",
);

#[cfg(target_arch = "riscv32")]
global_asm!(
    ".section .start, \"ax\"",
    ".globl start",
    "start:",
    "la sp, stack_top",
    "call bareprof_init",
    "j reset",
);

extern "C" {
    static mut data_start: u32;
    static mut data_end: u32;
    static data_load: u32;
    static mut bss_start: u32;
    static mut bss_end: u32;
}

/// Copies word by word, since no Rust function may be called yet.
#[no_mangle]
unsafe extern "C" fn reset() -> ! {
    let mut from = ptr::addr_of!(data_load);
    let mut to = ptr::addr_of_mut!(data_start);
    while to < ptr::addr_of_mut!(data_end) {
        to.write_volatile(from.read());
        to = to.add(1);
        from = from.add(1);
    }
    to = ptr::addr_of_mut!(bss_start);
    while to < ptr::addr_of_mut!(bss_end) {
        to.write_volatile(0);
        to = to.add(1);
    }
    #[cfg(target_arch = "arm")]
    {
        (UART as *mut u32).add(4).write_volatile(16); // baud rate divider
        (UART as *mut u32).add(2).write_volatile(1); // transmit
    }
    crate::main();
    stop()
}

#[no_mangle]
extern "C" fn stop() -> ! {
    loop {}
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    stop()
}

#[cfg(target_arch = "arm")]
const UART: usize = 0x4000_4000;
#[cfg(target_arch = "riscv32")]
const UART: usize = 0x1000_0000;

/// Waits until the UART takes the byte.
#[cfg(target_arch = "arm")]
fn send_byte(byte: u8) {
    let registers = UART as *mut u32;
    unsafe {
        while registers.add(1).read_volatile() & 1 != 0 {}
        registers.write_volatile(u32::from(byte));
    }
}

/// Waits until the UART takes the byte.
#[cfg(target_arch = "riscv32")]
fn send_byte(byte: u8) {
    let registers = UART as *mut u8;
    unsafe {
        while registers.add(5).read_volatile() & 0x20 == 0 {}
        registers.write_volatile(byte);
    }
}

/// Sends all bytes.
pub fn send(bytes: &[u8]) {
    for byte in bytes {
        send_byte(*byte);
    }
}
