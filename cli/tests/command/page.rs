//! `aether plot --html`: the page, read as text and opened in Chromium.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::common::{aloud, traces};
use crate::folder::{ABC, ABC_PLAN, Folder};

/// The page of a plan.
#[track_caller]
fn page(plan: impl AsRef<[u8]>) -> String {
    Folder::with(plan).run(&["plot", "x.csv", "--html", "-"]).ok().out
}

/// What the page knows of the plan.
#[track_caller]
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_page_has_the_plan() {
    let data = data(&page(ABC_PLAN));
    assert_eq!((&data["ids"], &data["size"]), (&json!(["A", "B", "C"]), &json!([100, 80, 60])));
    assert_eq!(
        (&data["first"], &data["last"], &data["offset"]),
        (&json!([0, 1, 2]), &json!([1, 2, 3]), &json!([0, 100, 0]))
    );
    assert_eq!(
        (&data["arena"], &data["bound"], &data["peak_node"], &data["nodes"]),
        (&json!(180), &json!(180), &json!(1), &json!(4))
    );
    assert_eq!(data["steps"], json!([[0, 100], [1, 180], [2, 140], [3, 60], [4, 0]]));
    assert_eq!((&data["before"], &data["cut"]), (&Value::Null, &json!([])));
}

#[test]
fn gaps_and_negative_times_are_there() {
    let data = data(&page("id,lower,upper,size,gaps,offset\nA,-4,0,100,-3--2 -1-0@0:10,0\n"));
    assert_eq!(data["cut"], json!([[0, [[0, 0, 0, 100], [2, 2, 0, 100], [3, 3, 0, 10]]]]));
    assert_eq!(data["origin"], -4);
}

#[test]
fn the_page_asks_nothing_of_a_network() {
    let page = page(ABC_PLAN);
    for address in ["http:", "https:", "src=", "href=", "url(", "import "] {
        assert!(!page.contains(address), "{address}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn names_cannot_break_the_page() {
    let plan = "id,lower,upper,size,offset\n\"</script><script>alert(1)</script><!--\",0,2,100,0\n@DATA@,2,3,1,0\n";
    let folder = Folder::with(plan);
    let page = folder.run(&["plot", "x.csv", "--html", "-", "--title", "</title>@THEMES@"]).ok().out;
    assert_eq!(data(&page)["ids"], json!(["</script><script>alert(1)</script><!--", "@DATA@"]));
    assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (2, 2));
    assert!(page.contains("<title>&lt;/title&gt;@THEMES@</title>"));
}

#[test]
fn a_plan_before_is_told_in_the_rows_of_the_plan() {
    let folder = Folder::with(ABC_PLAN);
    folder.write("y.csv", "id,lower,upper,size,offset\nC,2,4,60,80\nB,1,3,80,0\nA,0,2,100,90\n");
    let page = folder.run(&["plot", "x.csv", "--html", "-", "--before", "y.csv"]).ok().out;
    assert_eq!((&data(&page)["before"], &data(&page)["arena_before"]), (&json!([90, 0, 80]), &json!(190)));
}

#[test]
fn a_plan_of_another_problem_cannot_stand_before() {
    for (other, what) in [
        ("id,lower,upper,size,offset\nA,0,2,100,0\n", "1 rows and 3"),
        ("id,lower,upper,size,offset\nA,0,2,100,0\nB,1,3,81,100\nC,2,4,60,0\n", "B has another size"),
        ("id,lower,upper,size,offset\nA,0,2,100,0\nD,1,3,80,100\nC,2,4,60,0\n", "it has no B"),
    ] {
        let folder = Folder::with(ABC_PLAN);
        folder.write("y.csv", other);
        folder
            .run(&["plot", "x.csv", "--html", "x.html", "--before", "y.csv"])
            .refused(&["y.csv: not a plan of the same", what]);
        folder.run(&["plot", "x.csv", "--before", "y.csv"]).refused(&["--html"]);
    }
    Folder::with(ABC).run(&["plot", "x.csv", "--html", "-"]).refused(&["no column offset"]);
}

#[test]
fn picture_and_page_may_be_written_at_once() {
    let folder = Folder::with(ABC_PLAN);
    assert_eq!(folder.run(&["plot", "x.csv", "--html", "x.html", "-o", "x.svg"]).ok().out, "");
    assert_eq!(folder.names(), ["x.csv", "x.html", "x.svg"]);
}

/// Opens a page in Chromium, runs `steps` on it, and gives what they answer. Fails where the page's script does. None
/// where there is no Chromium.
fn in_chromium(folder: &Folder, page: &str, steps: &str) -> Option<Value> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let is_there = |name: &&str| Command::new(name).arg("--version").stderr(Stdio::null()).output().is_ok();
    let Some(chromium) = names.into_iter().find(is_there) else {
        aloud("skipped: the page in a browser; there is no chromium");
        return None;
    };
    let listen = "<head><script>const errors = []; addEventListener('error', (e) => errors.push(e.message));</script>";
    let end = format!(
        "<script>addEventListener('load', () => setTimeout(() => {{
           let answer = null;
           try {{ draw(); {steps}; draw(); }} catch (error) {{ errors.push(String(error)); }}
           setTimeout(() => {{
             for (const script of document.querySelectorAll('script, style')) script.remove();
             document.body.textContent = 'ANSWER' + JSON.stringify({{ answer, errors }}) + 'END';
           }}, 100);
         }}, 100));</script></body>"
    );
    let page = page.replacen("<head>", listen, 1).replacen("</body>", &end, 1);
    fs::write(folder.0.join("opened.html"), page).unwrap();
    let output = Command::new(chromium)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1300,800", "--dump-dom"])
        .args(["--virtual-time-budget=20000", "--enable-logging=stderr", "--allow-file-access-from-files"])
        .arg(format!("--user-data-dir={}", folder.0.join("profile").display()))
        .arg(format!("file://{}", folder.0.join("opened.html").display()))
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let answer = out.split_once("ANSWER").and_then(|(_, rest)| rest.split_once("END"));
    let answer = answer.unwrap_or_else(|| panic!("no answer in {out} {err}")).0;
    assert!(!err.contains("CONSOLE"), "{err}");
    let told: Value =
        serde_json::from_str(&answer.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).unwrap();
    assert_eq!(told["errors"], json!([]), "{told}");
    Some(told["answer"].clone())
}

/// The pointer and the keys, as a script can move them.
const HANDS: &str = "
    const pointer = (kind, x, y) => canvas.dispatchEvent(new PointerEvent(kind, {
      clientX: x + canvas.getBoundingClientRect().left, clientY: y + canvas.getBoundingClientRect().top,
      pointerId: 1 }));
    const wheel = (x, y, deltaY, more) => canvas.dispatchEvent(new WheelEvent('wheel', {
      clientX: x + canvas.getBoundingClientRect().left, clientY: y + canvas.getBoundingClientRect().top, deltaY,
      cancelable: true, ...more }));
    const key = (name) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key: name }));
    const middle = (row) => [toX((first[row] + last[row] + 1) / 2), toY(offset[row] + size[row] / 2)];
    const shown = () => [view.left, view.right, view.bottom, view.top];
    const click = (x, y) => { pointer('pointerdown', x, y); pointer('pointerup', x, y); };
";

#[test]
fn in_a_browser_boxes_are_drawn_found_and_clicked() {
    let steps = format!(
        "{HANDS}
         const pixel = (x, y) => [...context.getImageData(x * devicePixelRatio, y * devicePixelRatio, 1, 1).data];
         const [x, y] = middle(0);
         const colour = pixel(x - 20, y - 20);
         click(x, y);
         const clicked = [ids[selected], [...alive], document.querySelector('aside h2').textContent];
         element('search').value = 'C';
         element('search').dispatchEvent(new Event('input'));
         element('search').dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter' }}));
         const found = [element('found').textContent, ids[selected], location.hash];
         pointer('pointermove', x, y);
         const hovered = tip.textContent;
         key('Escape');
         answer = {{ colour, clicked, found, hovered, left: selected }};"
    );
    let folder = Folder::new();
    let Some(answer) = in_chromium(&folder, &page(ABC_PLAN), &steps) else { return };
    // A has more than a quarter of the arena: the first colour of the palette. B is alive with it, C is not.
    assert_eq!(answer["colour"], json!([0x5b, 0x3a, 0x91, 255]));
    assert_eq!(answer["clicked"], json!(["A", [0, 1, 0], "A"]));
    assert_eq!(answer["found"], json!(["1 found", "C", "#C"]));
    assert_eq!(answer["hovered"], "A\nsize 100 bytes (100 bytes)\nalive 0 to 1\noffset 0 to 100");
    assert_eq!(answer["left"], -1);
}

#[test]
fn in_a_browser_the_view_moves() {
    let steps = format!(
        "{HANDS}
         const all = shown();
         const [x, y] = [map.x + map.width / 2, map.y + map.height / 2];
         const fixed = [toNode(x), toByte(y)];
         wheel(x, y, -600);
         const near = shown(), kept = Math.hypot(toX(fixed[0]) - x, toY(fixed[1]) - y) < 3;
         wheel(x, y, -100, {{ shiftKey: true }});
         const time_only = [shown()[0] > near[0], shown()[2] === near[2]];
         const before = shown();
         pointer('pointerdown', x, y); pointer('pointermove', x + 5, y); pointer('pointermove', x + 50, y + 20);
         pointer('pointerup', x + 50, y + 20);
         const dragged = [shown()[0] < before[0], shown()[2] > before[2], selected];
         for (let k = 0; k < 100; k++) pointer('pointermove', x, y), wheel(x, y, 900);
         const out = shown();
         for (let k = 0; k < 200; k++) key('+');
         const closest = [shown()[1] - shown()[0], shown()[3] - shown()[2]];
         key('0');
         const is_near = near[1] - near[0] < all[1] - all[0];
         answer = {{ all, near: is_near, kept, time_only, dragged, out, closest, end: shown() }};"
    );
    let folder = Folder::new();
    let Some(answer) = in_chromium(&folder, &page(ABC_PLAN), &steps) else { return };
    assert_eq!(
        (&answer["near"], &answer["kept"], &answer["time_only"]),
        (&json!(true), &json!(true), &json!([true, true]))
    );
    // What is dragged to the right shows earlier nodes, dragged down higher bytes; and that is no click.
    assert_eq!(answer["dragged"], json!([true, true, -1]));
    assert_eq!((&answer["out"], &answer["end"]), (&answer["all"], &answer["all"]));
    for span in answer["closest"].as_array().unwrap() {
        assert!((span.as_f64().unwrap() - 1.0).abs() < 1e-6, "{span}");
    }
}

#[test]
fn in_a_browser_the_slider_wipes_from_one_plan_to_the_other() {
    let folder = Folder::with(ABC_PLAN);
    folder.write("y.csv", "id,lower,upper,size,offset\nA,0,2,100,80\nB,1,3,80,0\nC,2,4,60,80\n");
    let page = folder.run(&["plot", "x.csv", "--html", "-", "--before", "y.csv"]).ok().out;
    let steps = format!(
        "{HANDS}
         const slider = element('slider');
         const slide = (value) => {{ slider.value = value; slider.dispatchEvent(new Event('input')); }};
         const [x, y] = middle(1);
         slide(0); const after = at(x, y);
         slide(1000); const old = at(x, y);
         slide(500);
         const divider = map.x + map.width / 2;
         pointer('pointerdown', divider, y); pointer('pointermove', divider - 100, y);
         pointer('pointerup', divider - 100, y);
         answer = [ids[after], ids[old], element('wipe').hidden, Number(slider.value) < 500, selected];"
    );
    let Some(answer) = in_chromium(&folder, &page, &steps) else { return };
    // At the middle of where B is after, before is C, at 80 to 140 and nodes 2 and 3, or A; B's middle is node 2.
    assert_eq!(answer, json!(["B", "C", false, true, -1]));
}

#[test]
fn in_a_browser_names_are_only_text_and_nothing_to_draw_is_fine() {
    let folder = Folder::new();
    let hostile = page("id,lower,upper,size,offset\n\"</script><img src=x onerror=errors.push(1)>\",0,2,100,0\n");
    let Some(answer) = in_chromium(&folder, &hostile, "select(0); answer = document.images.length;") else { return };
    assert_eq!(answer, 0);
    let folder = Folder::new();
    let empty = page("id,lower,upper,size,offset\n");
    assert_eq!(in_chromium(&folder, &empty, &format!("{HANDS} click(300, 300); answer = selected;")), Some(json!(-1)));
}

#[test]
fn in_a_browser_62185_tensors_open_and_pan() {
    let Some(traces) = traces() else { return };
    let problem = traces.join("best-known/Y_1.497261190115.csv");
    let folder = Folder::new();
    folder.run(&["plot", problem.to_str().unwrap(), "--html", "y.html"]).ok();
    let page = folder.read("y.html");
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    let steps = format!(
        "{HANDS}
         const [x, y] = [map.x + map.width / 8, map.y + map.height / 2];
         wheel(x, y, -800); draw();
         pointer('pointerdown', x, y); pointer('pointermove', x + 10, y + 10);
         pointer('pointermove', x + 90, y + 30); draw();
         pointer('pointerup', x + 90, y + 30);
         click(x, y); draw();
         answer = [count, selected >= 0, view.right - view.left < nodes];"
    );
    let Some(answer) = in_chromium(&folder, &page, &steps) else { return };
    assert_eq!(answer, json!([62185, true, true]));
}
