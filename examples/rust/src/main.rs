// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A firmware in Rust that sends its coverage over the UART of its log.
#![no_std]
#![no_main]

mod board;
mod thermostat;

use thermostat::Thermostat;

fn main() {
    let mut heating = Thermostat::<i16>::new(20);
    for degrees in [21, 19, 17, 18, 20, 22, 21, 19] {
        board::send(if heating.step(degrees) { b"heating\n" } else { b"off\n" });
    }
    if heating.step(-40) && heating.step(99) {
        heating.away();
    }
    let sent = bareprof::send::<_, ()>(bareprof::TEXT, |bytes| {
        board::send(bytes);
        Ok(())
    });
    if sent.is_err() {
        board::send(b"no profile\n");
    }
}
