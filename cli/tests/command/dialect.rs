//! The file format: what is understood, what is forgiven, and how the rest is refused.

use crate::folder::{ABC, Folder, arena, both_refuse, offsets};

// Columns

#[test]
fn columns_are_found_by_name_in_any_order() {
    assert_eq!(offsets("size,upper,id,lower\n100,2,A,0\n80,3,B,1\n60,4,C,2\n"), [0, 100, 0]);
}

#[test]
fn buffer_and_buffer_id_mean_id() {
    assert_eq!(arena("buffer,lower,upper,size\nA,0,2,8\n"), 8);
    assert_eq!(arena("buffer_id,lower,upper,size\nA,0,2,8\n"), 8);
}

#[test]
fn start_and_begin_mean_lower() {
    assert_eq!(arena("id,start,upper,size\nA,0,2,8\nB,1,3,8\n"), 16);
    assert_eq!(arena("id,begin,upper,size\nA,0,2,8\nB,1,3,8\n"), 16);
}

#[test]
fn upper_is_the_time_after_the_last_one_alive() {
    assert_eq!(arena("id,start,upper,size\na,0,4,8\nb,4,5,8\n"), 8);
}

#[test]
fn end_is_the_last_time_alive() {
    assert_eq!(arena("start,size,buffer,end\n0,8,a,4\n4,8,b,5\n"), 16);
    assert_eq!(arena("start,size,buffer,end\n0,8,a,4\n5,8,b,5\n"), 8);
}

#[test]
fn end_may_equal_the_start() {
    assert_eq!(arena("id,start,end,size\na,5,5,8\n"), 8);
}

#[test]
fn a_missing_required_column_is_named() {
    both_refuse("lower,upper,size\n0,2,8\n", &["x.csv:1: no column id or buffer or buffer_id"]);
    both_refuse("id,upper,size\na,2,8\n", &["x.csv:1: no column lower or start or begin"]);
    both_refuse("id,lower,size\na,0,8\n", &["x.csv:1: no column upper or end"]);
    both_refuse("id,lower,upper\na,0,2\n", &["x.csv:1: no column size"]);
}

#[test]
fn a_column_given_twice_is_named() {
    both_refuse("id,lower,upper,size,size\na,0,2,8,8\n", &["x.csv:1: columns 4 (\"size\") and 5 (\"size\")"]);
}

#[test]
fn two_names_of_one_column_are_both_named() {
    both_refuse("id,lower,end,upper,size\na,0,1,2,8\n", &["3 (\"end\") and 4 (\"upper\") are both column upper"]);
    both_refuse("id,buffer,lower,upper,size\na,a,0,2,8\n", &["1 (\"id\") and 2 (\"buffer\") are both column id"]);
}

#[test]
fn an_unknown_column_given_twice_is_named() {
    both_refuse("id,lower,upper,size,note,note\na,0,2,8,,\n", &["5 (\"note\") and 6 (\"note\")"]);
}

#[test]
fn names_of_columns_are_case_sensitive() {
    both_refuse("ID,lower,upper,size\na,0,2,8\n", &["no column id"]);
}

#[test]
fn a_file_without_a_header_is_told_so_before_anything_else() {
    let message = "x.csv:1: the first line is no header: expected the names of the columns in lower case with commas \
                   between them, such as id,lower,upper,size\n";
    // The last two fields would be one column given twice.
    both_refuse("A,0,10,10\nB,0,10,10\n", &[message]);
    both_refuse("ID,Lower,Upper,Size\nA,0,2,8\n", &[message]);
    both_refuse("id;lower;upper;size\nA;0;2;8\n", &[message]);
    both_refuse("offset,gaps\n0,\n", &[message]);
    both_refuse("\n\nA,0,2,8\n", &["x.csv:3: the first line is no header"]);
}

#[test]
fn a_line_with_one_of_the_names_is_a_header() {
    both_refuse("size,b,c,c\n8,0,2,2\n", &["x.csv:1: columns 3 (\"c\") and 4 (\"c\")"]);
    both_refuse("buffer,b\nA,0\n", &["x.csv:1: no column lower"]);
}

/// Every verb notes this about x.csv, once, and works on it.
#[track_caller]
fn all_note(content: &str, what: &str) {
    let (folder, note) = (Folder::with(content), format!("note: x.csv: {what}\n"));
    for arguments in [&["plan", "--ignore-offsets"][..], &["check"], &["compare", "--ignore-offsets"]] {
        folder.run(&[arguments, &["x.csv"]].concat()).noted(&note);
    }
}

#[test]
fn columns_that_are_not_known_are_noted() {
    all_note(
        "id,lower,upper,size,Gaps,offset\nA,0,2,8,1-2,0\n",
        "column \"Gaps\" is not known; it is only carried through",
    );
    all_note(
        "fixed,id,lower,upper,size,aligment,offset\n0,A,0,2,8,64,0\n",
        "columns \"fixed\", \"aligment\" are not known; they are only carried through",
    );
    all_note("id,lower,upper,size,offset,\nA,0,2,8,0,\n", "column \"\" is not known; it is only carried through");
}

#[test]
fn ten_columns_that_are_not_known_are_listed_and_the_others_counted() {
    let unknown: String = (1..=12).map(|k| format!(",c{k}")).collect();
    let listed: String = (1..=10).map(|k| format!("\"c{k}\", ")).collect();
    all_note(
        &format!("id,lower,upper,size,offset{unknown}\nA,0,2,8,0{}\n", ",".repeat(12)),
        &format!("columns {listed}and 2 more are not known; they are only carried through"),
    );
}

#[test]
fn the_name_of_a_column_in_a_note_cannot_steer_the_terminal() {
    all_note(
        "id,lower,upper,size,offset,\x1b[31m\nA,0,2,8,0,\n",
        "column \"\\u{1b}[31m\" is not known; it is only carried through",
    );
}

#[test]
fn a_misspelt_offset_is_noted_beside_the_column_that_check_misses() {
    let folder = Folder::with("id,lower,upper,size,Offset\nA,0,2,8,0\n");
    folder.run(&["check", "x.csv"]).refused(&["note: x.csv: column \"Offset\"", "\nx.csv:1: no column offset\n"]);
}

#[test]
fn a_row_with_too_few_fields_is_refused_with_its_line() {
    both_refuse("id,lower,upper,size\na,0,2,8\nb,0,2\n", &["x.csv:3: 3 fields: expected 4, as in the header"]);
}

#[test]
fn a_row_with_too_many_fields_is_refused_with_its_line() {
    both_refuse("id,lower,upper,size\na,0,2,8,\n", &["x.csv:2: 5 fields: expected 4, as in the header"]);
}

#[test]
fn the_alignment_is_1_where_it_is_not_given() {
    assert_eq!(offsets("id,lower,upper,size,alignment\nA,0,2,100,\nB,1,3,81,16\n"), [81, 0]);
}

#[test]
fn a_hint_that_is_no_number_is_refused() {
    both_refuse("id,lower,upper,size,hint\na,0,2,8,low\n", &["x.csv:2: column hint: value \"low\": expected"]);
}

#[test]
fn a_hint_may_be_any_whole_number() {
    for hint in ["-1", "-99999999999999999999", "+0", "18446744073709551615", "99999999999999999999", ""] {
        assert_eq!(arena(format!("id,lower,upper,size,hint\na,0,2,8,{hint}\n")), 8);
    }
}

#[test]
fn gaps_have_times_and_at_most_a_window_with_spaces_between_them() {
    for gaps in ["", "1-2", "0-8", "1-2 3-4", "4-5  1-2", "1-2 2-3", "+1-002", "7-8@1:17", "1-2@0:20", "1-2@5:5"] {
        assert_eq!(arena(format!("id,lower,upper,size,gaps\na,0,8,20,{gaps}\n")), 20, "{gaps}");
    }
    assert_eq!(arena("id,lower,upper,size,gaps\na,-8,0,20,-7--3 -2-0 -8--7\n"), 20);
    assert_eq!(arena("id,lower,end,size,gaps\na,0,7,20,0-0 1-7\n"), 20);
}

/// A file whose row on line 3 has these gaps; it lives from 2 to 8, has 20 bytes, and `upper` may be another name.
fn with_gaps(upper: &str, gaps: &str) -> String {
    format!("id,lower,{upper},size,gaps\na,0,9,8,\nb,2,8,20,{gaps}\n")
}

#[track_caller]
fn refuses_gap(gaps: &str, gap: &str, expected: &str) {
    let place = format!("x.csv:3: column gaps: value \"{gap}\": expected {expected}");
    both_refuse(with_gaps("upper", gaps), &[&place]);
}

#[test]
fn text_that_is_no_gap_is_refused() {
    for gap in ["x", "3", "3-", "-3", "-", "3-4-5", "3 - 4", "3-x", "3_4", "3-4@", "3-4@5", "3-4@1:2:3", "3-4@1-2"] {
        refuses_gap(gap, gap.split(' ').next().unwrap(), "gaps such as 3-5, or 3-5@0:16");
    }
    refuses_gap("3-4@0x1:2", "3-4@0x1:2", "gaps such as 3-5");
    refuses_gap("3-4;5-6", "3-4;5-6", "gaps such as 3-5");
    refuses_gap("3-é", "3-é", "gaps such as 3-5");
    refuses_gap("é-3", "é-3", "gaps such as 3-5");
}

#[test]
fn a_gap_that_is_empty_or_reversed_is_refused() {
    refuses_gap("3-4 5-5", "5-5", "a gap that ends after 5, where it begins");
    refuses_gap("5-3", "5-3", "a gap that ends after 5, where it begins");
    let expected = "x.csv:3: column gaps: value \"5-4\": expected a gap that ends not before 5, where it begins";
    both_refuse(with_gaps("end", "5-4"), &[expected]);
}

#[test]
fn a_gap_outside_the_lifetime_is_refused() {
    for gap in ["1-3", "7-9", "0-1", "8-9", "-1-3", "3-9223372036854775808", "3-99999999999999999999"] {
        refuses_gap(gap, gap, "a gap within 2-8, the lifetime");
    }
    for gap in ["1-3", "7-9"] {
        both_refuse(with_gaps("end", gap), &["x.csv:3", &format!("\"{gap}\""), "a gap within 2-8, the lifetime"]);
    }
}

#[test]
fn a_window_that_is_reversed_or_beyond_the_size_is_refused() {
    for window in ["0:21", "5:4", "20:21", "-1:5", "0:99999999999999999999"] {
        let gap = format!("3-4@{window}");
        refuses_gap(&gap, &gap, "a window within 0:20, the bytes of the row");
    }
}

#[test]
fn two_gaps_of_one_row_that_share_a_time_are_both_named() {
    refuses_gap("3-5 4-6", "4-6", "a gap that shares no time with 3-5");
    refuses_gap("6-7 4-6@0:4 3-5", "4-6@0:4", "a gap that shares no time with 3-5");
    refuses_gap("3-5 3-5", "3-5", "a gap that shares no time with 3-5");
    both_refuse(with_gaps("end", "3-5 5-6"), &["value \"5-6\": expected a gap that shares no time with 3-5"]);
}

#[test]
fn a_file_means_the_same_in_any_order_of_columns_and_under_any_names() {
    let names = [
        &["id", "buffer", "buffer_id"][..],
        &["lower", "start", "begin"],
        &["upper", "end"],
        &["size"],
        &["alignment"],
        &["hint"],
        &["gaps"],
        &["offset"],
    ];
    // Twice the same rows, with `upper` and with `end`.
    let half_open = [
        ["a", "0", "6", "100", "16", "-1", "2-3 4-5@10:20", "-1"],
        ["b", "1", "4", "80", "1", "120", "", "-1"],
        ["c", "2", "7", "60", "8", "-1", "3-7@0:60", "-1"],
    ];
    let inclusive = [
        ["a", "0", "5", "100", "16", "-1", "2-2 4-4@10:20", "-1"],
        ["b", "1", "3", "80", "1", "120", "", "-1"],
        ["c", "2", "6", "60", "8", "-1", "3-6@0:60", "-1"],
    ];
    let mut expected = None;
    let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
    let mut random = 1u32;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) as usize % limit
    };
    for _ in 0..200 {
        let chosen = names.map(|names| names[below(names.len())]);
        let rows = if chosen[2] == "end" { inclusive } else { half_open };
        let lines = [chosen, rows[0], rows[1], rows[2]].map(|fields| order.map(|column| fields[column]).join(","));
        let content = lines.join("\n");
        let offsets = offsets(&content);
        assert_eq!(expected.get_or_insert(offsets.clone()), &offsets, "{content}");
        (1..8).for_each(|last| order.swap(last, below(last + 1)));
    }
}

// What is forgiven

#[test]
fn an_empty_last_field_is_a_field() {
    assert_eq!(arena("id,lower,upper,size,gaps\na,0,4,8,\nb,0,4,8,\n"), 16);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_name() {
    assert_eq!(arena("\u{feff}id,lower,upper,size\na,0,2,8\n"), 8);
}

#[test]
fn a_byte_order_mark_may_precede_a_quote() {
    assert_eq!(arena("\u{feff}\"id\",\"lower\",\"upper\",\"size\"\na,0,2,8\n"), 8);
}

#[test]
fn lines_may_end_in_crlf_and_the_last_in_nothing() {
    assert_eq!(arena("id,lower,upper,size\r\na,0,2,8\r\nb,1,3,8"), 16);
}

#[test]
fn lines_may_end_in_cr_alone() {
    assert_eq!(arena("id,lower,upper,size\ra,0,2,8\rb,1,3,8\r"), 16);
}

#[test]
fn blank_lines_do_not_end_the_file() {
    assert_eq!(arena("\n\r\n  \nid,lower,upper,size\n\na,0,2,8\n \t\n\nb,1,3,8\n\n"), 16);
}

#[test]
fn spaces_around_fields_and_names_do_not_matter() {
    let folder = Folder::with("id, lower ,upper,size\n\"a,1\", 0 ,2, 8\n");
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(folder.read("plan.csv"), "id,lower,upper,size,offset\n\"a,1\",0,2,8,0\n");
}

#[test]
fn a_quoted_id_may_hold_a_line_end_and_quotes() {
    let folder = Folder::with("id,lower,upper,size\n\"a\n\"\"b\"\"\",0,2,8\n");
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(folder.read("plan.csv"), "id,lower,upper,size,offset\n\"a\n\"\"b\"\"\",0,2,8,0\n");
    folder.run(&["check", "plan.csv"]).ok();
}

#[test]
fn integers_may_have_a_plus_sign_and_leading_zeros() {
    assert_eq!(arena("id,lower,upper,size\na,+0,002,+5\nb,-01,1,007\n"), 12);
}

#[test]
fn an_empty_file_has_no_header() {
    for content in ["", "\n\n", "\u{feff}", " \r\n"] {
        both_refuse(content, &["x.csv: no header"]);
    }
}

#[test]
fn a_header_alone_is_an_arena_of_0() {
    for content in ["id,lower,upper,size\n", "id,lower,upper,size"] {
        let folder = Folder::with(content);
        folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
        assert_eq!(folder.read("plan.csv"), "id,lower,upper,size,offset\n");
        let json = folder.run(&["check", "plan.csv", "--json"]).ok().json();
        assert_eq!((&json["arena_size"], &json["peak_node"]), (&0.into(), &serde_json::Value::Null));
        folder.run(&["check", "x.csv"]).ok();
    }
}

// Bad fields

/// A file whose second row, on line 3, has one field replaced.
fn abc_with(column: &str, value: &str) -> String {
    let field = |name, usual: &'static str| if name == column { value.to_string() } else { usual.to_string() };
    format!(
        "id,lower,upper,size,alignment,offset\nA,0,2,100,1,\n{},{},{},{},{},\nC,2,4,60,1,\n",
        field("id", "B"),
        field("lower", "1"),
        field("upper", "3"),
        field("size", "80"),
        field("alignment", "1"),
    )
}

#[track_caller]
fn refuses_field(column: &str, value: &str, expected: &str) {
    let place = format!("x.csv:3: column {column}: value \"{value}\": expected");
    both_refuse(abc_with(column, value), &[&place, expected]);
}

#[test]
fn a_size_is_a_whole_number_from_0_to_the_largest() {
    for value in ["1e3", "0x10", "-1", "-4", "18446744073709551616", "", "8.0", "1 000", "1_000", "+", "nan", "٣"] {
        refuses_field("size", value, "a size in bytes, a whole number from 0 to 18446744073709551615");
    }
    refuses_field("size", &"9".repeat(60), "a whole number from 0");
}

#[test]
fn an_alignment_is_at_least_1() {
    for value in ["0", "-8", "18446744073709551616", "x"] {
        refuses_field("alignment", value, "an alignment in bytes, a whole number from 1 to 18446744073709551615");
    }
}

#[test]
fn a_time_is_a_whole_number_of_64_bits() {
    for value in ["", "-", "1.5", "9223372036854775808", "-9223372036854775809"] {
        refuses_field("lower", value, "a time, a whole number from -9223372036854775808 to 9223372036854775807");
        refuses_field("upper", value, "a time, a whole number from -9223372036854775808 to 9223372036854775807");
    }
}

#[test]
fn an_empty_lifetime_is_refused() {
    refuses_field("upper", "1", "more than 1, the value of lower");
    both_refuse("id,lower,upper,size\nx,-1,-1,16\n", &["x.csv:2: column upper: value \"-1\": expected more than -1"]);
    both_refuse("id,lower,upper,size\ny,5,5,16\n", &["x.csv:2: column upper: value \"5\": expected more than 5"]);
}

#[test]
fn a_reversed_lifetime_is_refused_in_the_names_of_the_file() {
    both_refuse("id,lower,upper,size\nz,7,3,16\n", &["x.csv:2: column upper: value \"3\": expected more than 7"]);
    both_refuse(
        "id,start,end,size\nz,7,6,16\n",
        &["x.csv:2: column end: value \"6\": expected at least 7, the value of start"],
    );
}

#[test]
fn an_empty_lifetime_is_refused_also_where_the_size_is_0() {
    both_refuse("id,lower,upper,size\nz,7,7,0\n", &["x.csv:2: column upper"]);
}

#[test]
fn an_empty_id_is_refused() {
    refuses_field("id", "", "a name");
}

#[test]
fn a_repeated_id_is_refused_with_both_lines() {
    both_refuse(
        "id,lower,upper,size\na,0,2,8\nb,0,2,8\na,4,5,8\n",
        &["x.csv:4: column id: value \"a\": expected each id once, and line 2 has it too"],
    );
}

#[test]
fn blank_lines_count_in_line_numbers() {
    both_refuse("\r\n\nid,lower,upper,size\n\r\n\n \na,0,2,8\n\nb,0,2,x\n", &["x.csv:9: column size: value \"x\""]);
    both_refuse("id,lower,upper,size\r\ra,0,2,x\r", &["x.csv:3: column size"]);
}

#[test]
fn a_line_end_inside_quotes_counts_in_line_numbers() {
    both_refuse("id,lower,upper,size\n\"a\nb\",0,2,8\nc,0,2,x\n", &["x.csv:4: column size"]);
}

#[test]
fn a_quote_that_is_never_closed_swallows_no_row_in_silence() {
    both_refuse(
        "id,lower,upper,size,note\na,0,2,8,\"begun\nb,0,2,8,\nc,0,2,8,\n",
        &["x.csv:2: a quote is opened and never closed"],
    );
}

#[test]
fn a_quote_that_closes_in_another_row_swallows_no_row_in_silence() {
    let content = "id,lower,upper,size\n\"a,0,2,8\nb,0,2,8\n\"c,0,2,8\n";
    both_refuse(content, &["x.csv:2: text after a closing quote"]);
    both_refuse("id,lower,upper,size\na,0,2,8\n\"b\"b,0,2,8\n", &["x.csv:3: text after a closing quote"]);
}

#[test]
fn a_quote_within_a_field_is_a_letter_like_any_other() {
    let folder = Folder::with("id,lower,upper,size\n3\"disk,0,2,8\n");
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    assert_eq!(folder.read("plan.csv"), "id,lower,upper,size,offset\n\"3\"\"disk\",0,2,8,0\n");
    folder.run(&["check", "plan.csv"]).ok();
}

#[test]
fn spaces_are_trimmed_around_quotes_and_kept_within() {
    let folder = Folder::with("lower,id,upper,size\n0, \" a,1\" ,2,\" 8 \"\n0,\"a,1\",2,8\n");
    folder.run(&["plan", "x.csv", "-o", "plan.csv"]).ok();
    let plan = "lower,id,upper,size,offset\n0,\" a,1\",2,\" 8 \",0\n0,\"a,1\",2,8,8\n";
    assert_eq!(folder.read("plan.csv"), plan);
    folder.run(&["check", "plan.csv"]).ok();
}

#[test]
fn a_row_of_empty_fields_is_no_blank_line() {
    both_refuse("id,lower,upper,size\n,,,\n", &["x.csv:2: column id: value \"\": expected a name"]);
}

#[test]
fn a_long_value_is_cut_in_a_message() {
    let content = format!("id,lower,upper,size\na,0,2,{}\n", "9".repeat(1_000));
    both_refuse(content, &[&format!("value \"{}...\": expected", "9".repeat(100))]);
}

#[test]
fn text_that_is_not_utf_8_is_refused_with_its_line() {
    both_refuse(b"id,lower,upper,size\na,0,2,8\n\xff\xfe,0,2,8\n", &["x.csv:3: byte 0xff is not UTF-8"]);
    both_refuse(b"\xff\xfei\0d\0", &["x.csv:1: byte 0xff is not UTF-8"]);
}

#[test]
fn a_value_in_a_message_cannot_steer_the_terminal() {
    both_refuse("id,lower,upper,size\na,0,2,\x1b[31m\n", &["value \"\\u{1b}[31m\""]);
}

#[test]
fn stray_commas_quotes_line_ends_and_bytes_never_make_the_command_panic() {
    let folder = Folder::new();
    for first in [b',', b'"', b'\r', b'\n', b'a', 0, 0xff] {
        for second in [b',', b'"', b'\r', b'\n'] {
            let content = [&[first, second][..], ABC.as_bytes(), &[second, first]].concat();
            folder.write("x.csv", content);
            for verb in ["plan", "check"] {
                let run = folder.run(&[verb, "x.csv"]);
                assert!(matches!(run.code, Some(0 | 2)) && !run.err.contains("panicked"), "{}", run.err);
            }
        }
    }
}
