//! A plan as one SVG picture: time to the right, addresses up, a box for each tensor; below it the live bytes.
//!
//! The arena and its lower bound are lines across the map, and the peak is a line through both. The picture has its
//! own page, light or dark as the reader's system is, so it can stand anywhere.

use std::fmt::Write as _;

use super::layout::{self, Boxes, Rectangle, Scale};
use super::palette::{COLOURS, DARK, INKS, LIGHT, SHARES, Theme};
use super::svg::{Number, escape, short_bytes};
use crate::in_use;
use crate::placed::Placed;
use crate::table::shown;

const WIDTH: f64 = 1200.0;
const LEFT: f64 = 84.0;
const MAP_WIDTH: f64 = 986.0;
const MAP_TOP: f64 = 96.0;
const MAP_HEIGHT: f64 = 470.0;
const CURVE_TOP: f64 = MAP_TOP + MAP_HEIGHT + 28.0;
const CURVE_HEIGHT: f64 = 110.0;
const HEIGHT: f64 = CURVE_TOP + CURVE_HEIGHT + 48.0;

/// The picture of a plan, under a title; it has room for `top` bytes at least.
pub fn picture(placed: &Placed, title: &str, top: usize) -> String {
    let problem = placed.problem;
    let model = problem.model(None);
    let parts = in_use::parts(&model);
    let steps = in_use::steps(&parts);
    let nodes = problem.tensors.iter().map(|tensor| tensor.last_use as f64 + 1.0).fold(1.0, f64::max);
    let most = placed.arena_size.max(placed.peak_live_bytes).max(top).max(1) as f64;
    let x = Scale { domain: nodes, start: LEFT, length: MAP_WIDTH };
    let y = Scale { domain: most * 1.03, start: MAP_TOP + MAP_HEIGHT, length: -MAP_HEIGHT };
    let curve = Scale { domain: most * 1.03, start: CURVE_TOP + CURVE_HEIGHT, length: -CURVE_HEIGHT };

    let sizes: Vec<usize> = problem.tensors.iter().map(|tensor| tensor.size).collect();
    let boxes = layout::boxes(&parts, &placed.offsets, &sizes, placed.arena_size, x, y);
    let mut svg = Svg { text: String::new(), placed, x, y, curve };
    svg.open(title);
    svg.heading(title);
    svg.legend();
    svg.free_bytes();
    svg.boxes(&boxes);
    svg.inactive();
    svg.marked();
    svg.live_bytes(&layout::highest(&steps, nodes, (2.0 * MAP_WIDTH) as usize));
    svg.axes(nodes);
    svg.limits();
    svg.peak();
    svg.text.push_str("</svg>\n");
    svg.text
}

struct Svg<'a> {
    text: String,
    placed: &'a Placed<'a>,
    x: Scale,
    y: Scale,
    curve: Scale,
}

/// Writing to a string cannot fail.
macro_rules! add {
    ($svg:expr, $($part:tt)*) => { let _ = writeln!($svg.text, $($part)*); };
}

impl Svg<'_> {
    fn open(&mut self, title: &str) {
        add!(
            self,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" \
             role=\"img\" aria-label=\"{2}\" font-family=\"system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif\" \
             font-size=\"12\">",
            Number(WIDTH),
            Number(HEIGHT),
            escape(title)
        );
        add!(self, "<style>\n{}@media (prefers-color-scheme: dark) {{\n{}}}", style(&LIGHT), style(&DARK));
        for (class, (colour, ink)) in COLOURS.iter().zip(INKS).enumerate() {
            add!(self, ".c{class} {{ fill: {colour} }} .i{class} {{ fill: {ink} }}");
        }
        add!(self, ".name {{ font-size: 10px; pointer-events: none }}\n</style>");
        add!(self, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>");
    }

    fn heading(&mut self, title: &str) {
        add!(
            self,
            "<text class=\"text\" x=\"24\" y=\"32\" font-size=\"18\" font-weight=\"600\">{}</text>",
            escape(&shown(title))
        );
        let numbers = escape(&numbers(self.placed));
        add!(self, "<text class=\"text\" x=\"24\" y=\"54\" font-size=\"13\">{numbers}</text>");
    }

    fn legend(&mut self) {
        add!(self, "<text class=\"faint\" x=\"24\" y=\"78\">share of the arena</text>");
        let mut left = 142.0;
        for (class, share) in SHARES.iter().enumerate() {
            add!(self, "<rect class=\"c{class}\" x=\"{left}\" y=\"68\" width=\"14\" height=\"12\"/>");
            add!(self, "<text class=\"faint\" x=\"{}\" y=\"78\">{share}</text>", left + 19.0);
            left += 34.0 + 7.0 * share.len() as f64;
        }
        add!(self, "<rect class=\"free\" x=\"{left}\" y=\"68\" width=\"14\" height=\"12\"/>");
        add!(self, "<text class=\"faint\" x=\"{}\" y=\"78\">nobody's bytes</text>", left + 19.0);
        left += 135.0;
        if self.placed.problem.pins().next().is_some() {
            self.pin(left, 80.0, 9.0);
            add!(self, "<text class=\"faint\" x=\"{}\" y=\"78\">pinned</text>", left + 14.0);
            left += 74.0;
        }
        if !self.placed.problem.model(None).gaps.is_empty() {
            self.rectangle("gap", Rectangle { x: left, y: 68.0, width: 14.0, height: 12.0 });
            add!(self, "<text class=\"faint\" x=\"{}\" y=\"78\">a row with gaps</text>", left + 19.0);
        }
    }

    /// The sign of a pin, in the lower left corner of a box.
    fn pin(&mut self, x: f64, bottom: f64, side: f64) {
        let [x, top, side] = [x, bottom - side, side].map(Number);
        add!(self, "<path class=\"pin\" d=\"M{x} {top}v{side}h{side}z\"/>");
    }

    fn free_bytes(&mut self) {
        let top = self.y.at(self.placed.arena_size as f64);
        let place = Rectangle { x: LEFT, y: top, width: MAP_WIDTH, height: MAP_TOP + MAP_HEIGHT - top };
        self.rectangle("free", place);
    }

    fn boxes(&mut self, boxes: &Boxes) {
        for class in 0..COLOURS.len() {
            for (places, hint) in
                [(&boxes.merged[class], " shape-rendering=\"crispEdges\""), (&boxes.nameless[class], "")]
            {
                if !places.is_empty() {
                    let path: String = places.iter().map(subpath).collect();
                    add!(self, "<path class=\"c{class}\"{hint} d=\"{path}\"/>");
                }
            }
        }
        for lone in &boxes.alone {
            let edge = if lone.place.width.min(lone.place.height) >= 3.0 { " edge" } else { "" };
            let Rectangle { x, y, width, height } = lone.place;
            add!(
                self,
                "<rect class=\"c{}{edge}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
                lone.class,
                Number(x),
                Number(y),
                Number(width),
                Number(height),
                escape(&self.hover(lone.row))
            );
        }
        const MOST_NAMES: usize = 500;
        let placed = self.placed;
        let named = boxes.alone.iter().filter_map(|lone| {
            let name = placed.problem.id(lone.row);
            let room = 6.2 * name.chars().count() as f64 + 6.0;
            (lone.place.height >= 13.0 && lone.place.width >= room).then_some((lone, name))
        });
        for (lone, name) in named.take(MOST_NAMES) {
            let Rectangle { x, y, height, width } = lone.place;
            let (middle, base) = (Number(x + width / 2.0), Number(y + height / 2.0 + 3.5));
            add!(
                self,
                "<text class=\"name i{}\" x=\"{middle}\" y=\"{base}\" text-anchor=\"middle\">{}</text>",
                lone.class,
                escape(&name)
            );
        }
    }

    /// What is said of a row where the pointer rests on it.
    fn hover(&self, row: usize) -> String {
        let problem = self.placed.problem;
        let tensor = &problem.tensors[row];
        let offset = self.placed.offsets[row];
        format!(
            "{}\n{} bytes ({})\nalive from {} to {}\noffset {offset} to {}",
            problem.id(row),
            tensor.size,
            short_bytes(tensor.size as u128),
            problem.time(tensor.first_use),
            problem.time(tensor.last_use),
            offset as u128 + tensor.size as u128,
        )
    }

    /// The whole of each row that has a gap, as a broken outline.
    fn inactive(&mut self) {
        let mut rows: Vec<usize> = self.placed.problem.model(None).gaps.iter().map(|gap| gap.tensor).collect();
        rows.dedup();
        for row in rows {
            let place = self.whole(row);
            self.rectangle("gap", place);
        }
    }

    /// The pins, and the rows that make the plan invalid.
    fn marked(&mut self) {
        let placed = self.placed;
        for row in placed.problem.pins() {
            let Rectangle { x, y, width, height } = self.whole(row);
            self.pin(x, y + height, width.min(height).clamp(2.0, 9.0));
        }
        for &row in placed.invalid.iter().flat_map(|invalid| &invalid.rows) {
            let place = self.whole(row);
            self.rectangle("wrong", place);
        }
    }

    fn whole(&self, row: usize) -> Rectangle {
        let tensor = &self.placed.problem.tensors[row];
        let begin = self.placed.offsets[row] as u128;
        let end = begin + tensor.size as u128;
        layout::rectangle(self.x, self.y, [tensor.first_use, tensor.last_use], [begin, end])
    }

    fn live_bytes(&mut self, highest: &[u128]) {
        let width = MAP_WIDTH / highest.len() as f64;
        let mut path = format!("M{} {}", Number(LEFT), Number(self.curve.start));
        for run in highest.chunk_by(|a, b| a == b) {
            let _ = write!(path, "V{}h{}", Number(self.curve.at(run[0] as f64)), Number(width * run.len() as f64));
        }
        add!(self, "<path class=\"curve\" d=\"{path}V{}z\"/>", Number(self.curve.start));
    }

    fn axes(&mut self, nodes: f64) {
        for (scale, top, height, count) in [(self.y, MAP_TOP, MAP_HEIGHT, 8), (self.curve, CURVE_TOP, CURVE_HEIGHT, 3)]
        {
            for bytes in layout::byte_ticks(scale.domain, count) {
                let base = scale.at(bytes);
                add!(
                    self,
                    "<text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
                    Number(LEFT - 8.0),
                    Number(base + 4.0),
                    short_bytes(bytes as u128)
                );
                add!(self, "<path class=\"axis\" d=\"M{} {}h-4\"/>", Number(LEFT), Number(base));
            }
            add!(self, "<path class=\"axis\" d=\"M{} {}v{}h{}\"/>", LEFT, top, height, MAP_WIDTH);
        }
        let origin = self.placed.problem.time(0) as f64;
        for time in layout::time_ticks(origin, origin + nodes, 12) {
            let (left, base) = (self.x.at(time - origin), CURVE_TOP + CURVE_HEIGHT);
            add!(self, "<path class=\"axis\" d=\"M{} {}v4\"/>", Number(left), Number(base));
            add!(
                self,
                "<text class=\"faint\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{time:.0}</text>",
                Number(left),
                Number(base + 18.0)
            );
        }
        let middle = Number(LEFT + MAP_WIDTH / 2.0);
        add!(self, "<text class=\"faint\" x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">node</text>", HEIGHT - 12.0);
        for (middle, label) in [(MAP_TOP + MAP_HEIGHT / 2.0, "offset"), (CURVE_TOP + CURVE_HEIGHT / 2.0, "live bytes")]
        {
            add!(
                self,
                "<text class=\"faint\" transform=\"translate(16 {middle}) rotate(-90)\" \
                 text-anchor=\"middle\">{label}</text>"
            );
        }
    }

    /// The arena and the bound as lines, named in the right margin.
    fn limits(&mut self) {
        let placed = self.placed;
        let (arena, bound) = (placed.arena_size, placed.lower_bound);
        let right = LEFT + MAP_WIDTH;
        let arena_name = if arena == bound { "arena = bound" } else { "arena" };
        let mut lines = vec![("arena", arena_name, arena)];
        if arena != bound {
            lines.push(("bound", "lower bound", bound));
        }
        let mut labels: Vec<f64> = lines.iter().map(|line| self.y.at(line.2 as f64)).collect();
        layout::spread(&mut labels, 32.0);
        for ((class, name, bytes), label) in lines.into_iter().zip(labels) {
            let place = self.y.at(bytes as f64);
            add!(self, "<path class=\"{class}\" d=\"M{} {}H{}\"/>", Number(LEFT), Number(place), Number(right + 6.0));
            let ink = if class == "bound" { "mark" } else { "text" };
            for (line, text) in [name.to_string(), short_bytes(bytes as u128)].iter().enumerate() {
                add!(
                    self,
                    "<text class=\"{ink}\" x=\"{}\" y=\"{}\">{text}</text>",
                    Number(right + 10.0),
                    Number(label + 4.0 + 14.0 * line as f64)
                );
            }
        }
    }

    fn peak(&mut self) {
        let Some(node) = self.placed.peak_node else { return };
        let (left, right) = (self.x.at(node as f64), self.x.at(node as f64 + 1.0));
        let middle = (left + right) / 2.0;
        let bytes = self.placed.peak_live_bytes;
        let top = self.curve.at(bytes as f64);
        add!(
            self,
            "<path class=\"peak\" d=\"M{} {}V{}\"/>",
            Number(middle),
            Number(MAP_TOP),
            Number(CURVE_TOP + CURVE_HEIGHT)
        );
        add!(self, "<circle class=\"spot\" cx=\"{}\" cy=\"{}\" r=\"3.5\"/>", Number(middle), Number(top));
        let text = format!("peak {} at node {}", short_bytes(bytes as u128), self.placed.problem.time(node));
        let (anchor, place) =
            if middle > LEFT + MAP_WIDTH / 2.0 { ("end", middle - 8.0) } else { ("start", middle + 8.0) };
        add!(
            self,
            "<text class=\"mark\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{text}</text>",
            Number(place),
            Number(CURVE_TOP - 8.0)
        );
    }

    fn rectangle(&mut self, class: &str, Rectangle { x, y, width, height }: Rectangle) {
        let [x, y, width, height] = [x, y, width, height].map(Number);
        add!(self, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
    }
}

/// What stands below the title.
pub fn numbers(placed: &Placed) -> String {
    let rows = placed.problem.tensors.len();
    let [arena, bound, peak] = [placed.arena_size, placed.lower_bound, placed.peak_live_bytes];
    let short = |bytes: usize| short_bytes(bytes as u128);
    let against = match placed.optimal() {
        _ if placed.invalid.is_some() => "the plan is invalid".to_string(),
        true => "equal to the lower bound: no plan is smaller".to_string(),
        false => format!("{:.2} % above the lower bound of {}", placed.gap_percent(), short(bound)),
    };
    let tensors = if rows == 1 { "tensor" } else { "tensors" };
    let (arena_short, peak) = (short(arena), short(peak));
    format!("{rows} {tensors} \u{b7} arena {arena_short} ({arena} bytes), {against} \u{b7} peak of live bytes {peak}")
}

fn subpath(place: &Rectangle) -> String {
    let Rectangle { x, y, width, height } = *place;
    let [x, y, width, height, back] = [x, y, width, height, -width].map(Number);
    format!("M{x} {y}h{width}v{height}h{back}z")
}

fn style(theme: &Theme) -> String {
    let Theme { page, free, text, faint, mark, curve } = theme;
    format!(
        ".page {{ fill: {page} }} .free {{ fill: {free} }} .text {{ fill: {text} }} .faint {{ fill: {faint} }}\n\
         .mark, .spot {{ fill: {mark} }} .curve {{ fill: {curve} }} .edge {{ stroke: {page}; stroke-width: .6 }}\n\
         .axis {{ fill: none; stroke: {faint} }} .arena {{ stroke: {text}; stroke-width: 1.5 }}\n\
         .bound {{ stroke: {mark}; stroke-width: 1.5; stroke-dasharray: 7 4 }}\n\
         .peak {{ stroke: {mark}; stroke-dasharray: 2 3 }}\n\
         .gap {{ fill: none; stroke: {text}; stroke-width: .8; stroke-dasharray: 3 2; pointer-events: none }}\n\
         .pin {{ fill: {page}; stroke: {text}; stroke-width: .8 }}\n\
         .wrong {{ fill: none; stroke: {mark}; stroke-width: 3; pointer-events: none }}\n"
    )
}
