// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The measured code: a heating with hysteresis.

/// A scale of degrees. The report shows each instantiation of the generic type.
pub trait Degrees: Copy + PartialOrd {
    /// Returns the temperature so many degrees above.
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

    /// Returns whether to heat, now that it is `degrees`.
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

    /// No code calls this function: the report shows that.
    pub fn away(&mut self) {
        self.holiday = true;
    }
}
