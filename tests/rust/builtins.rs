// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! In the place of the crate compiler_builtins, which no Debian package has in
//! source: what the example's code calls.
#![feature(compiler_builtins, no_core)]
#![compiler_builtins]
#![no_builtins]
#![no_std]

macro_rules! arm_names {
    ($($name:ident => $to:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            #[cfg(target_arch = "arm")]
            #[no_mangle]
            pub unsafe extern "C" fn $name($($argument: $type),*) {
                $to($($argument),*);
            }
        )*
    };
}

#[no_mangle]
pub unsafe extern "C" fn memcpy(
    to: *mut u8,
    from: *const u8,
    n: usize,
) -> *mut u8 {
    let mut at = 0;
    while at != n {
        *to.add(at) = *from.add(at);
        at += 1;
    }
    to
}

#[no_mangle]
pub unsafe extern "C" fn memmove(
    to: *mut u8,
    from: *const u8,
    n: usize,
) -> *mut u8 {
    if (to as usize) < from as usize {
        return memcpy(to, from, n);
    }
    let mut at = n;
    while at != 0 {
        at -= 1;
        *to.add(at) = *from.add(at);
    }
    to
}

#[no_mangle]
pub unsafe extern "C" fn memset(to: *mut u8, byte: i32, n: usize) -> *mut u8 {
    let mut at = 0;
    while at != n {
        *to.add(at) = byte as u8;
        at += 1;
    }
    to
}

#[no_mangle]
pub unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    let mut at = 0;
    while at != n {
        let difference = *a.add(at) as i32 - *b.add(at) as i32;
        if difference != 0 {
            return difference;
        }
        at += 1;
    }
    0
}

unsafe fn set(to: *mut u8, n: usize, byte: i32) {
    memset(to, byte, n);
}

unsafe fn clear(to: *mut u8, n: usize) {
    memset(to, 0, n);
}

arm_names! {
    __aeabi_memcpy => memcpy(to: *mut u8, from: *const u8, n: usize);
    __aeabi_memcpy4 => memcpy(to: *mut u8, from: *const u8, n: usize);
    __aeabi_memcpy8 => memcpy(to: *mut u8, from: *const u8, n: usize);
    __aeabi_memset => set(to: *mut u8, n: usize, byte: i32);
    __aeabi_memclr => clear(to: *mut u8, n: usize);
    __aeabi_memclr4 => clear(to: *mut u8, n: usize);
    __aeabi_memclr8 => clear(to: *mut u8, n: usize);
}
