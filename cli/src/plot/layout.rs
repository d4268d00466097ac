//! Where the boxes of a plan lie in a picture, and which of them are drawn as one.
//!
//! Boxes that are wide and high enough to point at stand alone, the largest first and at most [`MOST_ALONE`]. Smaller
//! ones that still have half a pixel each way lose their name. All others are painted into cells of half a pixel, and
//! what the cells show is a few rectangles. So a picture grows with its area, not with the number of boxes.

use super::palette::{COLOURS, class};
use crate::in_use::{Part, Step};

/// A straight line from data to pixels.
#[derive(Clone, Copy)]
pub struct Scale {
    /// The data at pixel `start` is 0, and at `start + length` this; more than 0.
    pub domain: f64,
    pub start: f64,
    /// Negative where the data rises as the pixels fall.
    pub length: f64,
}

impl Scale {
    pub fn at(&self, value: f64) -> f64 {
        self.start + value / self.domain * self.length
    }
}

/// Pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A rectangle of pixels for bytes `[begin, end)` at nodes `first` to `last`.
pub fn rectangle(x: Scale, y: Scale, [first, last]: [usize; 2], [begin, end]: [u128; 2]) -> Rectangle {
    let (left, right) = (x.at(first as f64), x.at(last as f64 + 1.0));
    let (top, bottom) = (y.at(end as f64), y.at(begin as f64));
    Rectangle { x: left, y: top, width: right - left, height: bottom - top }
}

/// A box of its own.
pub struct Box {
    pub row: usize,
    pub class: usize,
    pub place: Rectangle,
}

pub struct Boxes {
    /// Those that are large enough to point at, the largest first.
    pub alone: Vec<Box>,
    /// Those without a name, by class.
    pub nameless: [Vec<Rectangle>; COLOURS.len()],
    /// What is left, merged, by class.
    pub merged: [Vec<Rectangle>; COLOURS.len()],
}

const MOST_ALONE: usize = 12_000;
/// Pixels: smaller boxes cannot be pointed at.
const LEAST_ALONE: f64 = 1.5;
/// Pixels: smaller boxes are merged.
const LEAST: f64 = 0.5;

/// The boxes of the parts, which lie within `area`.
pub fn boxes(parts: &[Part], offsets: &[usize], sizes: &[usize], arena: usize, x: Scale, y: Scale) -> Boxes {
    let mut boxes = Boxes { alone: Vec::new(), nameless: Default::default(), merged: Default::default() };
    let (left, top) = (x.start.min(x.start + x.length), y.start.min(y.start + y.length));
    let mut cells = Cells::new(left, top, x.length.abs(), y.length.abs());
    let mut rest = Vec::new();
    for part in parts {
        let row = part.row;
        let bytes = [part.begin, part.end].map(|byte| offsets[row] as u128 + byte as u128);
        let place = rectangle(x, y, [part.first, part.last], bytes);
        let class = class(sizes[row], arena);
        match place.width.min(place.height) {
            side if side >= LEAST_ALONE => boxes.alone.push(Box { row, class, place }),
            side if side >= LEAST => rest.push((class, place)),
            _ => cells.paint(class, place),
        }
    }
    boxes.alone.sort_by(|a, b| area(&b.place).total_cmp(&area(&a.place)));
    rest.extend(boxes.alone.drain(boxes.alone.len().min(MOST_ALONE)..).map(|lone| (lone.class, lone.place)));
    for (class, place) in rest {
        if boxes.nameless[class].len() < MOST_ALONE {
            boxes.nameless[class].push(place);
        } else {
            cells.paint(class, place);
        }
    }
    boxes.merged = cells.merged();
    boxes
}

fn area(place: &Rectangle) -> f64 {
    place.width * place.height
}

/// A grid over the map. Each cell has the class of the largest of the boxes that touch it.
struct Cells {
    left: f64,
    top: f64,
    columns: usize,
    rows: usize,
    /// Column after column: 0 is nothing, else the class and 1.
    painted: Vec<u8>,
}

impl Cells {
    fn new(left: f64, top: f64, width: f64, height: f64) -> Cells {
        let [columns, rows] = [width, height].map(|side| (side / LEAST).ceil() as usize);
        Cells { left, top, columns, rows, painted: vec![0; columns * rows] }
    }

    fn paint(&mut self, class: usize, place: Rectangle) {
        // The float cast saturates at 0.
        let range = |from: f64, length: f64, most: usize| {
            let first = (from / LEAST + 1e-6) as usize;
            let end = ((from + length) / LEAST - 1e-6).ceil() as usize;
            first.min(most.saturating_sub(1))..end.max(first + 1).min(most)
        };
        let rows = range(place.y - self.top, place.height, self.rows);
        for column in range(place.x - self.left, place.width, self.columns) {
            for cell in &mut self.painted[column * self.rows..][rows.clone()] {
                let class = class as u8 + 1;
                if *cell == 0 || class < *cell {
                    *cell = class;
                }
            }
        }
    }

    /// Runs of a class in a column; equal runs of neighbouring columns are one rectangle.
    fn merged(&self) -> [Vec<Rectangle>; COLOURS.len()] {
        let mut merged: [Vec<Rectangle>; COLOURS.len()] = Default::default();
        // The rectangles that the column before may still have widened, each with its run.
        let mut open: Vec<(Run, usize)> = Vec::new();
        for column in 0..self.columns {
            let runs = runs(&self.painted[column * self.rows..][..self.rows]);
            // Both are ordered by where a run begins, and no two of a column begin at the same cell.
            let mut before = std::mem::take(&mut open).into_iter().peekable();
            for run in runs {
                while before.next_if(|(old, _)| old.start < run.start).is_some() {}
                let rectangles = &mut merged[run.class];
                let index = match before.next_if(|(old, _)| *old == run) {
                    Some((_, index)) => {
                        rectangles[index].width += LEAST;
                        index
                    }
                    None => {
                        rectangles.push(Rectangle {
                            x: self.left + column as f64 * LEAST,
                            y: self.top + run.start as f64 * LEAST,
                            width: LEAST,
                            height: (run.end - run.start) as f64 * LEAST,
                        });
                        rectangles.len() - 1
                    }
                };
                open.push((run, index));
            }
        }
        merged
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Run {
    class: usize,
    start: usize,
    end: usize,
}

fn runs(cells: &[u8]) -> impl Iterator<Item = Run> {
    let mut end = 0;
    cells.chunk_by(|a, b| a == b).filter_map(move |run| {
        let start = end;
        end += run.len();
        let class = usize::from(run[0]).checked_sub(1)?;
        Some(Run { class, start, end })
    })
}

/// The highest number of bytes in each of `count` equal stretches of `nodes`.
pub fn highest(steps: &[Step], nodes: f64, count: usize) -> Vec<u128> {
    let mut highest = vec![0; count];
    for (step, next) in steps.iter().zip(steps.iter().skip(1)) {
        let stretch = |node: f64| node / nodes * count as f64;
        let first = (stretch(step.node as f64) + 1e-9) as usize;
        let end = (stretch(next.node as f64) - 1e-9).ceil() as usize;
        for stretch in highest.iter_mut().take(end.max(first + 1)).skip(first) {
            *stretch = step.bytes.max(*stretch);
        }
    }
    highest
}

/// Round numbers from 0 to `most`, at most `count` and 1 of them: multiples of a power of two.
pub fn byte_ticks(most: f64, count: usize) -> Vec<f64> {
    let mut step = 1.0;
    while most / step > count as f64 {
        step *= 2.0;
    }
    multiples(0.0, most, step)
}

/// Round numbers within `from` and `to`, about `count` of them: multiples of 1, 2 or 5 times a power of ten.
pub fn time_ticks(from: f64, to: f64, count: usize) -> Vec<f64> {
    let (mut step, mut factors) = (1.0, [2.0, 2.5, 2.0].iter().cycle());
    while (to - from) / step > count as f64 {
        step *= factors.next().unwrap_or(&10.0);
    }
    multiples((from / step).ceil() * step, to, step)
}

fn multiples(from: f64, to: f64, step: f64) -> Vec<f64> {
    let count = ((to - from) / step).floor().max(0.0) as usize;
    (0..=count).map(|k| from + k as f64 * step).collect()
}

/// Moves labels apart: each keeps its order and as much of its place as it can, `least` pixels from the next.
pub fn spread(places: &mut [f64], least: f64) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    for pair in order.windows(2) {
        places[pair[1]] = places[pair[1]].max(places[pair[0]] + least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Scale = Scale { domain: 1000.0, start: 10.0, length: 100.0 };
    const Y: Scale = Scale { domain: 1000.0, start: 70.0, length: -50.0 };

    fn part(row: usize, nodes: [usize; 2], size: usize) -> Part {
        Part { row, first: nodes[0], last: nodes[1], begin: 0, end: size }
    }

    fn contains(place: &Rectangle, x: f64, y: f64) -> bool {
        place.x <= x && x <= place.x + place.width && place.y <= y && y <= place.y + place.height
    }

    #[test]
    fn a_box_stands_alone_loses_its_name_or_is_merged_by_its_smaller_side() {
        // A node is 0.1 pixels wide, a byte 0.05 pixels high.
        let parts = [part(0, [0, 14], 30), part(1, [0, 13], 30), part(2, [0, 14], 10), part(3, [0, 3], 10)];
        let drawn = boxes(&parts, &[0, 100, 200, 300], &[30, 30, 10, 10], 1000, X, Y);
        assert_eq!(drawn.alone.iter().map(|lone| lone.row).collect::<Vec<_>>(), [0]);
        let count = |places: &[Vec<Rectangle>]| places.iter().map(Vec::len).sum::<usize>();
        assert_eq!((count(&drawn.nameless), count(&drawn.merged)), (2, 1));
    }

    #[test]
    fn neighbours_below_half_a_pixel_become_one_rectangle() {
        let parts: Vec<Part> = (0..1000).map(|node| part(node, [node, node], 100)).collect();
        let drawn = boxes(&parts, &[200; 1000], &[100; 1000], 1000, X, Y);
        assert_eq!(drawn.merged[1], [Rectangle { x: 10.0, y: 55.0, width: 100.0, height: 5.0 }]);
    }

    /// Whatever the sizes: the middle of each box is covered by its own class or by a larger one, and nothing is drawn
    /// outside the map.
    #[test]
    fn no_box_is_lost() {
        let mut state = 1u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % limit
        };
        for round in 0..300 {
            let most = [2, 20, 300][round % 3];
            let count = 1 + below(200);
            let (mut parts, mut offsets, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
            for row in 0..count {
                let (first, offset) = (below(1000), below(1000));
                let (last, size) = ((first + below(most)).min(999), (1 + below(most)).min(1000 - offset));
                parts.push(part(row, [first, last], size));
                offsets.push(offset);
                sizes.push(size);
            }
            let drawn = boxes(&parts, &offsets, &sizes, 1000, X, Y);
            let mut places: Vec<(usize, Rectangle)> = drawn.alone.iter().map(|lone| (lone.class, lone.place)).collect();
            for list in [&drawn.nameless, &drawn.merged] {
                let of_class = |class: usize| list[class].iter().map(move |place| (class, *place));
                places.extend((0..COLOURS.len()).flat_map(of_class));
            }
            for part in &parts {
                let (class, offset) = (class(sizes[part.row], 1000), offsets[part.row]);
                let (x, y) =
                    (X.at((part.first + part.last + 1) as f64 / 2.0), Y.at(offset as f64 + part.end as f64 / 2.0));
                let is_shown = places.iter().any(|(shown, place)| *shown <= class && contains(place, x, y));
                assert!(is_shown, "round {round}, row {}", part.row);
            }
            for (_, Rectangle { x, y, width, height }) in places {
                assert!(x >= 10.0 - 1e-9 && x + width <= 110.0 + 1e-9, "round {round}: {x} {width}");
                assert!(y >= 20.0 - 1e-9 && y + height <= 70.0 + 1e-9, "round {round}: {y} {height}");
            }
        }
    }

    #[test]
    fn a_stretch_has_the_highest_of_its_steps() {
        let steps = [(0, 5), (3, 9), (4, 2), (10, 0)].map(|(node, bytes)| Step { node, bytes });
        assert_eq!(highest(&steps, 10.0, 5), [5, 9, 2, 2, 2]);
        assert_eq!(highest(&steps, 10.0, 10), [5, 5, 5, 9, 2, 2, 2, 2, 2, 2]);
        assert_eq!(highest(&[], 1.0, 2), [0, 0]);
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(byte_ticks(180.0, 4), [0.0, 64.0, 128.0]);
        assert_eq!(byte_ticks(1.0, 4), [0.0, 1.0]);
        assert_eq!(time_ticks(-7.0, 18.0, 6), [-5.0, 0.0, 5.0, 10.0, 15.0]);
        assert_eq!(time_ticks(0.0, 1.0, 12), [0.0, 1.0]);
    }

    #[test]
    fn labels_are_moved_apart() {
        let mut places = [100.0, 98.0, 200.0];
        spread(&mut places, 32.0);
        assert_eq!(places, [130.0, 98.0, 200.0]);
    }
}
