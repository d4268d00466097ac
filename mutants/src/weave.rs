//! Puts all mutants of a file into it at once, each behind a switch.
//!
//! A place that has mutants asks `::aether::mutant::at(place)` which mutant is switched on, and behaves as the original
//! or as that mutant: `a + b` becomes `match (a, b) { (l, r) => match at(7) { 7 => l - r, 8 => l * r, _ => l + r } }`.
//! An operand is written once, so that places inside it stay as they are; the target of an assignment is repeated.
//! Every mutant stands on a line of its own with a mark, by which an error of the compiler is told apart.
//!
//! Mutant schemata: Untch, Offutt and Harrold, "Mutation analysis using mutant schemata", 1993.

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Arm, BinOp, Block, Expr, ExprBinary, ExprMatch, ExprStruct, ExprUnary, ImplItemConst, ImplItemFn, ItemConst,
    ItemFn, ItemStatic, Pat, ReturnType, Signature, TraitItemConst, TraitItemFn, Type,
};

/// A change that cargo-mutants proposes: `replacement` for what lies between two places, a line and a column each, both
/// from 1.
#[derive(Clone, Debug)]
pub struct Mutant {
    pub number: u32,
    pub name: String,
    pub file: String,
    pub genre: String,
    pub begin: (usize, usize),
    pub end: (usize, usize),
    pub replacement: String,
}

impl Mutant {
    /// Mutants of one place exclude one another.
    pub fn place(&self) -> (&str, (usize, usize), &str) {
        (&self.file, self.begin, &self.genre)
    }

    /// The text of its file with it, and without a switch.
    pub fn apply(&self, text: &str) -> String {
        let byte = |(line, column): (usize, usize)| {
            let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
            before + text[before..].chars().take(column - 1).map(char::len_utf8).sum::<usize>()
        };
        [&text[..byte(self.begin)], &self.replacement, &text[byte(self.end)..]].concat()
    }
}

/// The numbers that marks of a kind give: `/*M` for a mutant, `/*S` for the head of a place.
pub fn marks(text: &str, kind: &str) -> Vec<u32> {
    let rest = text.split(kind).skip(1);
    rest.map(|text| text[..text.find('*').expect("the end of a mark")].parse().expect("a number")).collect()
}

/// The text of a file with these mutants in it. Those that cannot be switched are left out.
pub fn weave(text: &str, mutants: &[Mutant]) -> String {
    let file = syn::parse_file(text).expect("a file of Rust");
    let mut weaver = Weaver { text, mutants, places: Vec::new(), has_default: false };
    weaver.visit_file(&file);
    weaver.write(0..text.len(), &weaver.places)
}

/// What replaces a range of the file, which may hold other places.
struct Place {
    range: Range<usize>,
    pieces: Vec<Piece>,
    inner: Vec<Place>,
}

enum Piece {
    Text(String),
    /// A part of the file, in which the inner places are replaced.
    Part(Range<usize>),
}

use Piece::{Part, Text};

struct Weaver<'a> {
    text: &'a str,
    mutants: &'a [Mutant],
    /// Those of the construct that is being visited, in any order.
    places: Vec<Place>,
    /// Whether the match that is being visited takes what its other arms do not.
    has_default: bool,
}

impl<'a> Weaver<'a> {
    fn at(&self, genre: &str, span: Span) -> Vec<&'a Mutant> {
        let begin = (span.start().line, span.start().column + 1);
        self.mutants.iter().filter(|mutant| mutant.genre == genre && mutant.begin == begin).collect()
    }

    fn source(&self, span: Span) -> &'a str {
        &self.text[span.byte_range()]
    }

    /// Visits parts, whose places become the inner ones of a new place.
    fn place(&mut self, range: Range<usize>, pieces: Vec<Piece>, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.places);
        visit(self);
        let inner = std::mem::replace(&mut self.places, outer);
        self.places.push(Place { range, pieces, inner });
    }

    fn write(&self, range: Range<usize>, places: &[Place]) -> String {
        let mut within: Vec<&Place> =
            places.iter().filter(|place| range.start <= place.range.start && place.range.end <= range.end).collect();
        within.sort_by_key(|place| (place.range.start, place.range.end));
        let (mut out, mut done) = (String::new(), range.start);
        for place in within {
            out += &self.text[done..place.range.start];
            for piece in &place.pieces {
                match piece {
                    Text(text) => out += text,
                    Part(part) => out += &self.write(part.clone(), &place.inner),
                }
            }
            done = place.range.end;
        }
        out + &self.text[done..range.end]
    }

    fn function(&mut self, signature: &Signature, block: &'a Block) {
        let Some(first) = block.stmts.first() else { return };
        let mutants = self.at("FnValue", first.span());
        // A function that returns `impl Trait` returns one type.
        let is_opaque = matches!(&signature.output, ReturnType::Type(_, kind) if matches!(**kind, Type::ImplTrait(_)));
        if !mutants.is_empty() && !is_opaque {
            let site = mutants[0].number;
            let mut text = String::new();
            for mutant in mutants {
                let (number, value) = (mutant.number, &mutant.replacement);
                text += &format!("\n/*M{number}*/ if {} == {number} {{ return {value}; }}\n", at(site));
            }
            let begin = block.brace_token.span.open().byte_range().end;
            self.places.push(Place { range: begin..begin, pieces: vec![Text(text)], inner: Vec::new() });
        }
    }
}

fn at(site: u32) -> String {
    format!("::aether::mutant::at({site})")
}

/// The arms of a `match` over the mutants of a place, each on its own line.
fn arms(mutants: &[&Mutant], of: impl Fn(&str) -> String) -> Vec<Piece> {
    let arm = |mutant: &&Mutant| Text(format!("\n/*M{0}*/ {0} => {1},\n", mutant.number, of(&mutant.replacement)));
    mutants.iter().map(arm).collect()
}

/// A chain with `let` must stay one of `&&`.
fn is_chain(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => is_chain(&binary.left) || is_chain(&binary.right),
        _ => false,
    }
}

impl<'a> Visit<'a> for Weaver<'a> {
    fn visit_item_fn(&mut self, node: &'a ItemFn) {
        if node.sig.constness.is_none() {
            self.function(&node.sig, &node.block);
            visit::visit_item_fn(self, node);
        }
    }

    fn visit_impl_item_fn(&mut self, node: &'a ImplItemFn) {
        if node.sig.constness.is_none() {
            self.function(&node.sig, &node.block);
            visit::visit_impl_item_fn(self, node);
        }
    }

    fn visit_trait_item_fn(&mut self, node: &'a TraitItemFn) {
        if let Some(block) = &node.default {
            self.function(&node.sig, block);
        }
        visit::visit_trait_item_fn(self, node);
    }

    // What is computed while compiling knows no switch.
    fn visit_pat(&mut self, _: &'a Pat) {}
    fn visit_type(&mut self, _: &'a Type) {}
    fn visit_item_const(&mut self, _: &'a ItemConst) {}
    fn visit_item_static(&mut self, _: &'a ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'a ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'a TraitItemConst) {}

    fn visit_expr_binary(&mut self, node: &'a ExprBinary) {
        let mutants = self.at("BinaryOperator", node.op.span());
        if mutants.is_empty() || is_chain(&node.left) || is_chain(&node.right) {
            return visit::visit_expr_binary(self, node);
        }
        let site = mutants[0].number;
        let (left, right) = (node.left.span().byte_range(), node.right.span().byte_range());
        let operator = self.source(node.op.span());
        let mut pieces = Vec::new();
        match node.op {
            BinOp::And(_) | BinOp::Or(_) => {
                // Only the other one of the two is proposed.
                let ([mutant], asks) = (&mutants[..], at(site)) else { panic!("{mutants:?}") };
                let differs = if matches!(node.op, BinOp::And(_)) { "!=" } else { "==" };
                pieces.push(Text("({ let l: bool = ".into()));
                pieces.push(Part(left));
                pieces.push(Text(format!(";\n/*M{0}*/ if l {differs} ({asks} == {0}) {{\n", mutant.number)));
                pieces.push(Part(right));
                pieces.push(Text(" } else { l } })".into()));
            }
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => {
                pieces.push(Text(format!("\n/*S{site}*/ (match (&(")));
                pieces.push(Part(left));
                pieces.push(Text("), &(".into()));
                pieces.push(Part(right));
                pieces.push(Text(format!(")) {{ (l, r) => match {} {{", at(site))));
                pieces.extend(arms(&mutants, |other| format!("*l {other} *r")));
                pieces.push(Text(format!("_ => *l {operator} *r }} }})")));
            }
            BinOp::Add(_)
            | BinOp::Sub(_)
            | BinOp::Mul(_)
            | BinOp::Div(_)
            | BinOp::Rem(_)
            | BinOp::BitXor(_)
            | BinOp::BitAnd(_)
            | BinOp::BitOr(_)
            | BinOp::Shl(_)
            | BinOp::Shr(_) => {
                pieces.push(Text(format!("\n/*S{site}*/ (match (")));
                pieces.push(Part(left));
                pieces.push(Text(", ".into()));
                pieces.push(Part(right));
                pieces.push(Text(format!(") {{ (l, r) => match {} {{", at(site))));
                pieces.extend(arms(&mutants, |other| format!("l {other} r")));
                pieces.push(Text(format!("_ => l {operator} r }} }})")));
            }
            _ => {
                // An assignment: to the same target with another operator.
                pieces.push(Text(format!("{{\n/*S{site}*/ let r = ")));
                pieces.push(Part(right));
                pieces.push(Text(format!("; match {} {{", at(site))));
                for mutant in &mutants {
                    pieces.push(Text(format!("\n/*M{0}*/ {0} => ", mutant.number)));
                    pieces.push(Part(left.clone()));
                    pieces.push(Text(format!(" {} r,\n", mutant.replacement)));
                }
                pieces.push(Text("_ => ".into()));
                pieces.push(Part(left));
                pieces.push(Text(format!(" {operator} r }} }}")));
            }
        }
        self.place(node.span().byte_range(), pieces, |weaver| visit::visit_expr_binary(weaver, node));
    }

    fn visit_expr_unary(&mut self, node: &'a ExprUnary) {
        let mutants = self.at("UnaryOperator", node.op.span());
        let [mutant] = mutants[..] else { return visit::visit_expr_unary(self, node) };
        let operator = self.source(node.op.span());
        let (number, asks) = (mutant.number, at(mutant.number));
        let pieces = vec![
            Text("(match ".into()),
            Part(node.expr.span().byte_range()),
            Text(format!(" {{ v => match {asks} {{\n/*M{number}*/ {number} => v,\n_ => {operator}v }} }})")),
        ];
        self.place(node.span().byte_range(), pieces, |weaver| visit::visit_expr_unary(weaver, node));
    }

    fn visit_expr_match(&mut self, node: &'a ExprMatch) {
        self.visit_expr(&node.expr);
        let has_default = node.arms.iter().any(|arm| arm.guard.is_none() && matches!(arm.pat, Pat::Wild(_)));
        for arm in &node.arms {
            self.has_default = has_default;
            self.visit_arm(arm);
        }
    }

    /// An arm that is deleted never matches.
    fn visit_arm(&mut self, node: &'a Arm) {
        let deletion = self.at("MatchArm", node.span());
        let never = deletion.first().filter(|_| self.has_default).map(|mutant| {
            let number = mutant.number;
            format!("\n/*M{number}*/ {} != {number}\n", at(number))
        });
        match &node.guard {
            None => {
                if let Some(never) = never {
                    let end = node.pat.span().byte_range().end;
                    let pieces = vec![Text(format!(" if {never}"))];
                    self.places.push(Place { range: end..end, pieces, inner: Vec::new() });
                }
            }
            Some((_, guard)) => {
                let mutants = self.at("MatchArmGuard", guard.span());
                let mut pieces = vec![Text(never.map_or("(".into(), |never| format!("{never} && (")))];
                if let Some(first) = mutants.first() {
                    pieces.push(Text(format!("match {} {{", at(first.number))));
                    pieces.extend(arms(&mutants, str::to_string));
                    pieces.push(Text("_ => ".into()));
                }
                pieces.push(Part(guard.span().byte_range()));
                pieces.push(Text(if mutants.is_empty() { ")" } else { " })" }.into()));
                self.place(guard.span().byte_range(), pieces, |weaver| weaver.visit_expr(guard));
            }
        }
        self.visit_expr(&node.body);
    }

    /// A field that is deleted is taken from the rest of the expression.
    fn visit_expr_struct(&mut self, node: &'a ExprStruct) {
        for field in &node.fields {
            let mutants = self.at("StructField", field.span());
            let ([mutant], Some(rest)) = (&mutants[..], &node.rest) else {
                self.visit_expr(&field.expr);
                continue;
            };
            let member = self.source(field.member.span());
            let (number, path, rest) = (mutant.number, self.source(node.path.span()), self.source(rest.span()));
            let other = format!("({path} {{ ..{rest} }}).{member}");
            let pieces = vec![
                Text(format!("{member}: if {} == {number} {{\n/*M{number}*/ {other}\n}} else {{ ", at(number))),
                Part(field.expr.span().byte_range()),
                Text(" }".into()),
            ];
            self.place(field.span().byte_range(), pieces, |weaver| weaver.visit_expr(&field.expr));
        }
        if let Some(rest) = &node.rest {
            self.visit_expr(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The woven text on one line, without marks and brackets around operands.
    fn woven(text: &str, mutants: &[(&str, usize, &str)]) -> String {
        let mutants: Vec<Mutant> = (1..)
            .zip(mutants)
            .map(|(number, &(genre, column, replacement))| Mutant {
                number,
                name: String::new(),
                file: String::new(),
                genre: genre.into(),
                begin: (1, column),
                replacement: replacement.into(),
            })
            .collect();
        let text = weave(text, &mutants).replace("::aether::mutant::", "");
        let words = text.split_whitespace().filter(|word| !word.starts_with("/*"));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_operator_becomes_a_choice_among_operators_and_its_operands_are_woven_once() {
        assert_eq!(
            woven(
                "fn f() { a + !b }",
                &[("BinaryOperator", 12, "-"), ("BinaryOperator", 12, "*"), ("UnaryOperator", 14, "")]
            ),
            "fn f() { (match (a, (match b { v => match at(3) { 3 => v, _ => !v } })) \
             { (l, r) => match at(1) { 1 => l - r, 2 => l * r, _ => l + r } }) }"
        );
        assert_eq!(
            woven("fn f() { a[0] < b }", &[("BinaryOperator", 15, "==")]),
            "fn f() { (match (&(a[0]), &(b)) { (l, r) => match at(1) { 1 => *l == *r, _ => *l < *r } }) }"
        );
        assert_eq!(
            woven("fn f() { a += b; }", &[("BinaryOperator", 12, "-=")]),
            "fn f() { { let r = b; match at(1) { 1 => a -= r, _ => a += r } }; }"
        );
    }

    #[test]
    fn the_right_side_of_a_logical_operator_is_reached_as_in_the_one_that_is_switched_on() {
        // With `l != true` the right side counts where `l` is false: that of `||`.
        let and = "fn f() { ({ let l: bool = a; if l != (at(1) == 1) { b } else { l } }) }";
        assert_eq!(woven("fn f() { a && b }", &[("BinaryOperator", 12, "||")]), and);
        assert_eq!(woven("fn f() { a || b }", &[("BinaryOperator", 12, "&&")]), and.replace("!=", "=="));
    }

    #[test]
    fn a_function_returns_early_an_arm_never_matches_a_guard_is_chosen_and_a_field_is_that_of_the_rest() {
        assert_eq!(woven("fn f() { a }", &[("FnValue", 10, "b")]), "fn f() { if at(1) == 1 { return b; } a }");
        assert_eq!(
            woven(
                "fn f() { match a { 1 => b, c if d => e, _ => g } }",
                &[("MatchArm", 20, ""), ("MatchArmGuard", 33, "true")]
            ),
            "fn f() { match a { 1 if at(1) != 1 => b, c if (match at(2) { 2 => true, _ => d }) => e, _ => g } }"
        );
        assert_eq!(
            woven("fn f() { S { a: b, ..c } }", &[("StructField", 14, "")]),
            "fn f() { S { a: if at(1) == 1 { (S { ..c }).a } else { b }, ..c } }"
        );
    }

    #[test]
    fn what_knows_no_switch_stays_as_it_is() {
        for text in ["const A: u8 = 1 + 2;", "const fn f() { a + b }", "fn f() { if let a = b && c {} }"] {
            let operators = (1..text.len()).map(|column| ("BinaryOperator", column, "-")).collect::<Vec<_>>();
            assert_eq!(woven(text, &operators), text);
        }
        assert_eq!(woven("fn f() -> impl A { a }", &[("FnValue", 20, "b")]), "fn f() -> impl A { a }");
    }
}
