// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Rust without std: generics, traits, a closure, matches, checked arithmetic.
//! A number at the end of a line is how often the line runs.
#![no_std]
#![no_main]

use core::ptr::{read_volatile, write_volatile};

static mut SINK: u32 = 0;

fn add(n: u32) {
    unsafe {
        let sum = read_volatile(&SINK).wrapping_add(n); // 18
        write_volatile(&mut SINK, sum); // 18
    }
}

trait Shape {
    fn area(&self) -> u32;
    fn doubled(&self) -> u32 {
        2 * self.area() // 2
    }
}

struct Square(u32);
struct Line;

impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0 // 1
    }
}

impl Shape for Line {
    fn area(&self) -> u32 {
        0
    }
}

#[inline(never)]
fn clipped<T: PartialOrd>(n: T, limit: T) -> T {
    if n > limit {
        return limit; // 4
    }
    n // 6
}

#[inline(never)]
fn named(n: u32) -> Option<u32> {
    match n {
        0 => None, // 1
        1 | 2 => Some(n), // 2
        3..=5 => {
            add(n); // 3
            Some(1) // 3
        }
        _ => Some(2), // 2
    }
}

#[inline(never)]
fn each(mut call: impl FnMut(u32)) {
    for i in 0..8 {
        call(i); // 8
    }
}

#[inline(never)]
fn never(n: u32) -> u32 {
    n / 3 // 0
}

#[no_mangle]
pub extern "C" fn main() -> i32 {
    let shapes: [&dyn Shape; 2] = [&Square(4), &Line];
    for shape in shapes.iter() {
        add(shape.doubled()); // 2
    }
    each(|i| {
        if let Some(found) = named(i) {
            add(found); // 7
        } else {
            add(100); // 1
        }
    });
    for i in 0..5 {
        add(clipped(i, 3)); // 5
        clipped(i as u8, 1); // 5
    }
    let sink = unsafe { read_volatile(&SINK) };
    if sink == 1 {
        add(never(sink)); // 0
    }
    0
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {} // 0
}
