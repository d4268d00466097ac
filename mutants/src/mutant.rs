//! Which mutant is switched on: the one that AETHER_MUTANT names, or none. With AETHER_PLACES the numbers of the places
//! that are reached are written to the file of that name.

use std::fs::File;
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::{env, format};

const UNKNOWN: u32 = u32::MAX;
const RECORDING: u32 = u32::MAX - 1;

static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
static PLACES: Mutex<Option<File>> = Mutex::new(None);

/// The mutant that is switched on, seen from a place; 0 where there is none.
#[inline(always)]
pub fn at(place: u32) -> u32 {
    let active = ACTIVE.load(Relaxed);
    if active < RECORDING { active } else { ask(place) }
}

#[cold]
fn ask(place: u32) -> u32 {
    let mut places = PLACES.lock().expect("a lock");
    if ACTIVE.load(Relaxed) == UNKNOWN {
        *places = env::var_os("AETHER_PLACES").map(|path| File::create(path).expect("AETHER_PLACES"));
        let active = env::var("AETHER_MUTANT").map_or(0, |number| number.parse().expect("AETHER_MUTANT"));
        ACTIVE.store(if places.is_some() { RECORDING } else { active }, Relaxed);
    }
    match &mut *places {
        None => ACTIVE.load(Relaxed),
        Some(file) => {
            if !REACHED[place as usize].swap(true, Relaxed) {
                file.write_all(format!("{place}\n").as_bytes()).expect("AETHER_PLACES");
            }
            0
        }
    }
}
