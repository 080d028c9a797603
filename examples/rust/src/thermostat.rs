// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What is measured: a heating with hysteresis.

/// Any kind of degrees: a generic type, of which the report shows each use.
pub trait Degrees: Copy + PartialOrd {
    /// This many degrees above.
    fn above(self, degrees: i8) -> Self;
}

impl Degrees for i16 {
    fn above(self, degrees: i8) -> Self {
        self.saturating_add(i16::from(degrees))
    }
}

/// A heating that keeps `wanted` degrees, give or take one.
pub struct Thermostat<D> {
    wanted: D,
    on: bool,
    holiday: bool,
}

impl<D: Degrees> Thermostat<D> {
    /// Off at first.
    pub fn new(wanted: D) -> Self {
        Thermostat { wanted, on: false, holiday: false }
    }

    /// Whether to heat, now that it is `degrees`.
    pub fn step(&mut self, degrees: D) -> bool {
        if self.holiday && degrees > self.wanted.above(-8) {
            self.on = false;
        } else if degrees < self.wanted.above(-1) {
            self.on = true;
        } else if degrees > self.wanted.above(1) {
            self.on = false;
        }
        self.on
    }

    /// Nobody calls it: the report shows that.
    pub fn away(&mut self) {
        self.holiday = true;
    }
}
