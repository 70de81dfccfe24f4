// SPDX-License-Identifier: GPL-2.0
// The standard library at work for so many seconds, much of it inlined.
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

fn words(mut seed: u32) -> Vec<String> {
    let mut next = |i: u32| {
        seed = seed.wrapping_mul(1664525).wrapping_add(1013904223);
        format!("{seed:x} {:.3}", f64::from(i) / 7.0)
    };
    (0..2000).map(|i| next(i)).collect()
}

fn work(seed: u32) -> usize {
    let mut sorted = words(seed);
    sorted.sort_by(|a, b| b.cmp(a));
    let mut counted = HashMap::new();
    for word in &sorted {
        *counted.entry(&word[..3]).or_insert(0usize) += 1;
    }
    let ordered: BTreeMap<_, _> = counted.iter().map(|(word, count)| (count, word)).collect();
    ordered.len() + sorted.iter().filter_map(|word| word.split(' ').nth(1)?.parse::<f64>().ok()).filter(|number| *number > 100.0).count()
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut sum = 0;
    for seed in 1.. {
        if Instant::now() >= end {
            break;
        }
        sum += work(seed);
    }
    println!("{sum}");
}
