//! `aether plot` and `aether plan --svg`: the picture of a plan.

use std::fs;
use std::path::Path;

use roxmltree::{Document, Node};

use crate::common::traces;
use crate::folder::{ABC, ABC_PLAN, Folder};

/// The picture of a plan, which is valid.
#[track_caller]
fn picture(plan: impl AsRef<[u8]>) -> String {
    Folder::with(plan).run(&["plot", "x.csv"]).ok().out
}

/// The elements whose class is or begins with `class`.
fn of_class<'a>(document: &'a Document, class: &str) -> Vec<Node<'a, 'a>> {
    let has = |node: &Node| node.attribute("class").is_some_and(|names| names.split(' ').any(|name| name == class));
    document.descendants().filter(has).collect()
}

/// The boxes that can be pointed at.
fn boxes<'a>(document: &'a Document) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.has_tag_name("rect") && hover(node).is_some()).collect()
}

fn hover<'a>(node: &Node<'a, 'a>) -> Option<&'a str> {
    node.children().find(|child| child.has_tag_name("title")).and_then(|title| title.text())
}

fn number(node: &Node, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

#[test]
fn a_box_has_the_place_of_its_tensor() {
    let svg = picture(ABC_PLAN);
    let document = Document::parse(&svg).unwrap();
    let named = |id: &str| boxes(&document).into_iter().find(|node| hover(node).unwrap().starts_with(id)).unwrap();
    let [a, b, c] = ["A", "B", "C"].map(named);
    // Four nodes: a node is as wide as half of A, and C begins where A ends.
    let node = number(&a, "width") / 2.0;
    let near = |a: f64, b: f64| assert!((a - b).abs() < 0.02, "{a} {b}");
    near(number(&b, "x"), number(&a, "x") + node);
    near(number(&c, "x"), number(&a, "x") + 2.0 * node);
    // B lies on A, C where A was, and heights are as sizes.
    near(number(&b, "y") + number(&b, "height"), number(&a, "y"));
    near(number(&c, "y") + number(&c, "height"), number(&a, "y") + number(&a, "height"));
    near(number(&b, "height"), number(&a, "height") * 0.8);
}

#[test]
fn the_pointer_is_told_id_size_lifetime_and_offset() {
    let svg = picture(ABC_PLAN);
    let document = Document::parse(&svg).unwrap();
    let told: Vec<&str> = boxes(&document).iter().filter_map(hover).collect();
    assert!(told.contains(&"B\n80 bytes (80 bytes)\nalive from 1 to 2\noffset 100 to 180"), "{told:?}");
}

#[test]
fn the_title_has_the_numbers() {
    let svg = picture(ABC_PLAN);
    for part in ["x.csv", "3 tensors", "(180 bytes), equal to the lower bound", "peak 180 bytes at node 1"] {
        assert!(svg.contains(part), "{part} in {svg}");
    }
    let loose = picture("id,lower,upper,size,offset\nA,0,2,100,60\n");
    assert!(loose.contains("(160 bytes), 60.00 % above the lower bound of 100 bytes"), "{loose}");
}

#[test]
fn the_title_may_be_given() {
    let svg = Folder::with(ABC_PLAN).run(&["plot", "x.csv", "--title", "a < b"]).ok().out;
    assert!(svg.contains(">a &lt; b</text>"), "{svg}");
}

#[test]
fn arena_and_bound_are_one_line_where_they_are_equal() {
    let count = |plan: &str, class: &str| of_class(&Document::parse(&picture(plan)).unwrap(), class).len();
    assert_eq!((count(ABC_PLAN, "arena"), count(ABC_PLAN, "bound")), (1, 0));
    let loose = "id,lower,upper,size,offset\nA,0,2,100,60\n";
    assert_eq!((count(loose, "arena"), count(loose, "bound"), count(loose, "peak")), (1, 1, 1));
}

#[test]
fn names_cannot_break_the_picture() {
    let plan =
        "id,lower,upper,size,offset\n\"A&B<\"\"x\"\">\",0,2,100,0\n\"</text><script>\x1b[1m\u{ffff}\",2,4,60,0\n";
    let svg = picture(plan);
    let document = Document::parse(&svg).unwrap();
    assert!(boxes(&document).iter().any(|node| hover(node).unwrap().starts_with("A&B<\"x\">\n")), "{svg}");
    assert!(!svg.contains("<script") && !svg.contains('\x1b') && !svg.contains('\u{ffff}'));
}

#[test]
fn a_problem_without_bytes_has_an_empty_picture() {
    for plan in ["id,lower,upper,size,offset\n", "id,lower,upper,size,offset\nA,0,5,0,\n"] {
        let svg = picture(plan);
        let document = Document::parse(&svg).unwrap();
        assert_eq!(boxes(&document).len(), 0);
        assert!(svg.contains("arena 0 bytes") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

#[test]
fn extreme_numbers_make_a_picture() {
    let (most, least) = (u64::MAX, i64::MIN);
    let plan = format!("id,lower,upper,size,offset\na,{least},{},{},1\nb,0,1,1,0\n", i64::MAX, most - 1);
    let svg = picture(plan);
    Document::parse(&svg).unwrap();
    assert!(svg.contains("16 EiB") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

/// At time 1 the row needs nothing, at time 3 its bytes 0 to 9.
#[test]
fn a_row_with_gaps_is_drawn_in_its_parts() {
    let svg = picture("id,lower,upper,size,gaps,offset\nA,0,4,100,1-2 3-4@0:10,0\n");
    let document = Document::parse(&svg).unwrap();
    let mut parts = boxes(&document);
    parts.sort_by(|a, b| number(a, "x").total_cmp(&number(b, "x")));
    let heights: Vec<f64> = parts.iter().map(|node| number(node, "height")).collect();
    assert_eq!((heights.len(), heights[0]), (3, heights[1]));
    assert!((heights[0] / heights[2] - 10.0).abs() < 0.01, "{heights:?}");
    // One in the legend.
    assert_eq!(of_class(&document, "gap").len(), 2);
}

#[test]
fn an_invalid_plan_is_drawn_and_the_rows_that_clash_are_outlined() {
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,100,0\nB,1,3,80,50\n");
    let run = folder.run(&["plot", "x.csv"]).fails(1, &["x.csv: A [0,100) (line 2) and B [50,130) (line 3) overlap"]);
    let document = Document::parse(&run.out).unwrap();
    assert_eq!((boxes(&document).len(), of_class(&document, "wrong").len()), (2, 2));
    assert!(run.out.contains("the plan is invalid"));
}

#[test]
fn a_problem_without_offsets_is_no_plan() {
    Folder::with(ABC).run(&["plot", "x.csv", "-o", "x.svg"]).refused(&["x.csv:1: no column offset"]);
}

#[test]
fn plan_draws_what_plot_draws() {
    let folder = Folder::with(ABC);
    folder.run(&["plan", "x.csv", "--svg", "a.svg", "-o", "y.csv"]).ok();
    folder.run(&["plot", "y.csv", "--title", "x.csv", "-o", "b.svg"]).ok();
    assert_eq!(folder.read("a.svg"), folder.read("b.svg"));
}

#[test]
fn a_picture_that_cannot_be_written_does_not_cost_the_plan() {
    let folder = Folder::with(ABC);
    let run = folder.run(&["plan", "x.csv", "-o", "y.csv", "--svg", "none/y.svg"]);
    run.fails(2, &["none/y.svg: cannot be written"]);
    assert_eq!(folder.read("y.csv"), ABC_PLAN);
    folder.run(&["plan", "x.csv", "--svg", "-"]).refused(&["--svg", "expected a file"]);
}

#[test]
fn plan_marks_pins() {
    let folder = Folder::with("id,lower,upper,size,offset\nA,0,2,100,100\nB,1,3,80,\n");
    folder.run(&["plan", "x.csv", "--svg", "x.svg"]).ok();
    // One in the legend.
    assert_eq!(of_class(&Document::parse(&folder.read("x.svg")).unwrap(), "pin").len(), 2);
}

#[test]
fn a_plan_may_come_from_standard_input() {
    let run = Folder::new().run_with_stdin(&["plot", "-", "-o", "-"], ABC_PLAN.as_bytes()).ok();
    assert_eq!(boxes(&Document::parse(&run.out).unwrap()).len(), 3);
}

/// 300,000 tensors of one node each: far more than there are pixels to point at.
#[test]
fn the_size_of_a_picture_is_bounded() {
    let row = |k: usize| format!("{k},{},{},{},{}\n", k / 600, k / 600 + 1, 1 + k % 2, k % 600 * 2);
    let rows: String = (0..300_000).map(row).collect();
    let svg = picture(format!("id,lower,upper,size,offset\n{rows}"));
    assert!(svg.len() < 10_000_000, "{} bytes", svg.len());
    Document::parse(&svg).unwrap();
}

#[test]
fn the_picture_of_62185_tensors_is_below_10_megabytes_and_loses_no_class() {
    let Some(traces) = traces() else { return };
    let folder = Folder::new();
    let problem = traces.join("best-known/Y_1.497261190115.csv");
    folder.run(&["plot", problem.to_str().unwrap(), "-o", "y.svg"]).ok();
    let svg = folder.read("y.svg");
    assert!(svg.len() < 10_000_000, "{} bytes", svg.len());
    let document = Document::parse(&svg).unwrap();
    // Its sizes are of the last four classes; each is there beside its swatch in the legend.
    for class in ["c2", "c3", "c4", "c5"] {
        assert!(of_class(&document, class).len() > 1, "{class}");
    }
}

#[test]
fn two_plans_can_be_drawn_to_one_scale() {
    let height = |options: &[&str]| {
        let svg = Folder::with(ABC_PLAN).run(&[&["plot", "x.csv"], options].concat()).ok().out;
        let document = Document::parse(&svg).unwrap();
        number(&boxes(&document)[0], "height")
    };
    assert!((height(&[]) - 2.0 * height(&["--top", "360"])).abs() < 0.02);
    assert_eq!(height(&[]), height(&["--top", "1"]));
}

/// The commands that drew the pictures stand in docs/README.md.
#[test]
fn the_pictures_of_the_readme_are_what_the_command_draws() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let network = root.join("examples/networks/basic-pitch.csv");
    let folder = Folder::new();
    for (algorithm, title, name) in [
        ("size", "basic-pitch, planned as XNNPACK plans", "basic-pitch-xnnpack.svg"),
        ("search", "basic-pitch, planned by aether", "basic-pitch-aether.svg"),
    ] {
        folder.run(&["plan", network.to_str().unwrap(), "--algorithm", algorithm, "-o", "plan.csv"]).ok();
        folder.run(&["plot", "plan.csv", "--title", title, "--top", "5630592", "-o", name]).ok();
        assert!(folder.read(name) == fs::read_to_string(root.join("docs/pictures").join(name)).unwrap(), "{name}");
    }
}
