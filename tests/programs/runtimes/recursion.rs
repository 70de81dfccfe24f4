// SPDX-License-Identifier: GPL-2.0
// Recursion through known functions, for so many seconds.
use std::time::{Duration, Instant};

mod work {
    #[inline(never)]
    pub fn grind(rounds: i32) -> i32 {
        (0..rounds).fold(1i32, |x, i| std::hint::black_box(x.wrapping_mul(31).wrapping_add(i)))
    }

    #[inline(never)]
    pub fn descend<T: Copy + Into<i32>>(depth: u32, rounds: T) -> i32 {
        let sum = if depth == 0 { grind(rounds.into()) } else { descend(depth - 1, rounds) };
        std::hint::black_box(sum).wrapping_add(1)
    }
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut sum = 0i32;
    while Instant::now() < end {
        sum = sum.wrapping_add(work::descend(20, 20000i16));
    }
    println!("{sum}");
}
