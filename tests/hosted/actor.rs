// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Rust program that does what its arguments say, for tests/hosted/rust.sh:
// generic code, closures, a thread, a panic, and several ways to end.
use std::collections::BTreeMap;

fn count<T: Ord + Copy>(of: &[T]) -> usize {
    let mut seen = BTreeMap::new();
    for item in of {
        *seen.entry(*item).or_insert(0) += 1;
    }
    seen.values().filter(|n| **n > 1).count()
}

fn work(times: usize) -> usize {
    let numbers: Vec<usize> = (0..times).map(|n| n * n % 7).collect();
    let letters: Vec<char> = "abca".chars().take(times).collect();
    count(&numbers) + count(&letters)
}

fn main() {
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "thread" => {
                let thread = std::thread::spawn(|| work(9));
                println!("thread {}", thread.join().unwrap());
            }
            "caught" => {
                let caught = std::panic::catch_unwind(|| work(2) / work(0));
                println!("caught {}", caught.is_err());
            }
            "panic" => panic!("as was asked for"),
            "exit" => std::process::exit(3),
            "abort" => std::process::abort(),
            number => println!("work {}", work(number.parse().unwrap())),
        }
    }
}
