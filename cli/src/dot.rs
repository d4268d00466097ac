//! DOT: the edges of a directed graph, and its text without some of them.
//!
//! No DOT crate keeps comments, layout and the order of attributes, so the text itself is edited: only an edge
//! statement with an edge that goes is touched, and every other byte stays. A chain `a -> b -> c` is split where an
//! edge goes. A node that is first mentioned by such a statement may owe it a membership (in a subgraph) or its
//! attributes (where there are `node [...]` statements); then the mention stays as a node statement.
//!
//! An edge with a subgraph for an end is many edges in one statement; it is refused.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::dot_tokens::{Kind, Token, next};
use crate::failure::Failure;
use crate::graph::Graph;

/// Without quotes they are no names, in any case.
const KEYWORDS: [&str; 6] = ["strict", "graph", "digraph", "subgraph", "node", "edge"];

/// The edge statements of a text.
pub struct Statements {
    has_node_defaults: bool,
    statements: Vec<Statement>,
}

/// `a -> b -> ... [attributes];`
struct Statement {
    nodes: Vec<Mention>,
    attributes: Range<usize>,
    is_in_subgraph: bool,
    /// After the semicolon, where there is one.
    end: usize,
    /// The others follow it.
    first_edge: usize,
}

/// A node in an edge statement.
struct Mention {
    id: Range<usize>,
    /// The id with its port.
    whole: Range<usize>,
    /// Of this node in the graph or in this subgraph.
    is_first: bool,
}

pub fn is_dot(text: &str) -> bool {
    let mut place = 0;
    let mut token = || next(text, place).ok().inspect(|token| place = token.span.end);
    let Some(mut first) = token() else { return false };
    if first.is_keyword("strict") {
        let Some(second) = token() else { return false };
        first = second;
    }
    if !first.is_keyword("digraph") && !first.is_keyword("graph") {
        return false;
    }
    match token() {
        Some(name) if name.is_id() => token().is_some_and(|token| token.is_mark(b'{')),
        brace => brace.is_some_and(|token| token.is_mark(b'{')),
    }
}

pub fn read<'t>(text: &'t str, graph: &mut Graph<'t>) -> Result<Statements, Failure> {
    let token = Token { kind: Kind::End, span: 0..0 };
    let mut parser = Parser { text, graph, token, bodies: Vec::new(), has_node_defaults: false };
    parser.advance()?;
    parser.graph()
}

struct Parser<'g, 't> {
    text: &'t str,
    graph: &'g mut Graph<'t>,
    /// The next one.
    token: Token<'t>,
    /// The nodes mentioned so far in the graph and in each open subgraph, outermost first.
    bodies: Vec<HashSet<u32>>,
    has_node_defaults: bool,
}

impl<'t> Parser<'_, 't> {
    /// Goes on to the next token; gives the one before it.
    fn advance(&mut self) -> Result<Token<'t>, Failure> {
        let token = next(self.text, self.token.span.end).map_err(|(place, what)| self.graph.refuse(place, what))?;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn skip(&mut self, mark: u8) -> Result<bool, Failure> {
        let found = self.token.is_mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    fn expect(&mut self, mark: u8) -> Result<(), Failure> {
        match self.skip(mark)? {
            true => Ok(()),
            false => Err(self.unexpected(&char::from(mark).to_string())),
        }
    }

    fn id(&mut self) -> Result<Token<'t>, Failure> {
        match self.token.is_id() {
            true => self.advance(),
            false => Err(self.unexpected("a name")),
        }
    }

    fn unexpected(&self, expected: &str) -> Failure {
        let found = match self.token.kind {
            Kind::End => "the end of the file".to_string(),
            _ => format!("\"{}\"", crate::table::shown(&self.text[self.token.span.clone()])),
        };
        self.graph.refuse(self.token.span.start, format_args!("{found}: expected {expected}"))
    }

    fn refuse_undirected(&self) -> Failure {
        self.graph.refuse(self.token.span.start, "an undirected graph has no transitive reduction: expected digraph")
    }

    fn refuse_subgraph_end(&self) -> Failure {
        let what = "an edge from or to a subgraph stands for many edges and cannot be edited: write each on its own";
        self.graph.refuse(self.token.span.start, what)
    }

    fn graph(mut self) -> Result<Statements, Failure> {
        self.graph.is_strict = self.token.is_keyword("strict");
        if self.graph.is_strict {
            self.advance()?;
        }
        if self.token.is_keyword("graph") {
            return Err(self.refuse_undirected());
        }
        self.advance()?;
        if self.token.is_id() {
            self.advance()?;
        }
        self.open()?;
        let mut statements = Vec::new();
        while !self.bodies.is_empty() {
            self.statement(&mut statements)?;
        }
        if self.token.kind != Kind::End {
            return Err(self.unexpected("nothing after the graph"));
        }
        Ok(Statements { has_node_defaults: self.has_node_defaults, statements })
    }

    fn open(&mut self) -> Result<(), Failure> {
        self.expect(b'{')?;
        self.bodies.push(HashSet::new());
        Ok(())
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Result<(), Failure> {
        if self.skip(b';')? {
            return Ok(());
        }
        if self.token.is_mark(b'{') {
            return self.open();
        }
        if self.skip(b'}')? {
            self.bodies.pop();
            return match self.token.kind {
                _ if self.bodies.is_empty() => Ok(()),
                Kind::Arrow => Err(self.refuse_subgraph_end()),
                _ => self.attributes().map(|_| ()),
            };
        }
        if self.token.is_keyword("subgraph") {
            self.advance()?;
            if self.token.is_id() {
                self.advance()?;
            }
            return self.open();
        }
        if ["graph", "node", "edge"].iter().any(|keyword| self.token.is_keyword(keyword)) {
            self.has_node_defaults |= self.token.is_keyword("node");
            self.advance()?;
            return match self.token.is_mark(b'[') {
                true => self.attributes().map(|_| ()),
                false => Err(self.unexpected("[")),
            };
        }
        let first = match self.token.kind {
            Kind::End => return Err(self.unexpected("}")),
            _ if self.token.is_id() => self.advance()?,
            _ => return Err(self.unexpected("a statement")),
        };
        if self.skip(b'=')? {
            return self.id().map(|_| ());
        }
        self.nodes(first, statements)
    }

    /// A node statement or an edge statement; `first` was read.
    fn nodes(&mut self, first: Token<'t>, statements: &mut Vec<Statement>) -> Result<(), Failure> {
        let first_edge = self.graph.edges.len();
        let (mut from, mention) = self.mention(first)?;
        let mut nodes = vec![mention];
        while self.token.kind == Kind::Arrow {
            self.advance()?;
            if self.token.is_mark(b'{') || self.token.is_keyword("subgraph") {
                return Err(self.refuse_subgraph_end());
            }
            let id = self.id()?;
            let place = id.span.start;
            let (to, mention) = self.mention(id)?;
            self.graph.add_edge(from, to, place);
            nodes.push(mention);
            from = to;
        }
        if self.token.kind == Kind::Line {
            return Err(self.unexpected("->"));
        }
        let last = nodes.last().map_or(0, |node| node.whole.end);
        let attributes = self.attributes()?.unwrap_or(last..last);
        let mut end = attributes.end;
        if self.token.is_mark(b';') {
            end = self.advance()?.span.end;
        }
        if nodes.len() > 1 {
            let is_in_subgraph = self.bodies.len() > 1;
            statements.push(Statement { nodes, attributes, is_in_subgraph, end, first_edge });
        }
        Ok(())
    }

    /// A node with its port; `id` was read.
    fn mention(&mut self, id: Token<'t>) -> Result<(u32, Mention), Failure> {
        if KEYWORDS.iter().any(|keyword| id.is_keyword(keyword)) {
            let what = format_args!("a node called {} needs quotes", &self.text[id.span.clone()]);
            return Err(self.graph.refuse(id.span.start, what));
        }
        let name: Cow<str> = match id.kind {
            Kind::Word(word) => word.into(),
            Kind::Name(name) => name,
            _ => return Err(self.graph.refuse(id.span.start, "a node whose name is HTML is not supported")),
        };
        let node = self.graph.add_node(name)?;
        let is_first = self.bodies.last_mut().is_some_and(|body| body.insert(node));
        let mut end = id.span.end;
        while self.skip(b':')? {
            end = self.id()?.span.end;
        }
        Ok((node, Mention { whole: id.span.start..end, id: id.span, is_first }))
    }

    /// `[a = b, ...] ...`, if there are any.
    fn attributes(&mut self) -> Result<Option<Range<usize>>, Failure> {
        let mut span: Option<Range<usize>> = None;
        while self.token.is_mark(b'[') {
            let start = self.advance()?.span.start;
            while !self.token.is_mark(b']') {
                self.id()?;
                if self.skip(b'=')? {
                    self.id()?;
                }
                if !self.skip(b',')? {
                    self.skip(b';')?;
                }
            }
            let end = self.advance()?.span.end;
            span = Some(span.map_or(start, |span| span.start)..end);
        }
        Ok(span)
    }
}

impl Statements {
    /// The text with the edges to be kept and all that is no edge.
    pub fn reduced(&self, text: &str, keep: &[bool]) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut copied = 0;
        for statement in &self.statements {
            let edges = statement.first_edge..statement.first_edge + statement.nodes.len() - 1;
            if keep[edges.clone()].iter().all(|&keep| keep) {
                continue;
            }
            kept.push_str(&text[copied..statement.nodes[0].whole.start]);
            let needs_first_mentions = statement.is_in_subgraph || self.has_node_defaults;
            let parts = statement.parts(text, &keep[edges], needs_first_mentions);
            copied = match parts.is_empty() {
                true => close_gap(text, statement.end, &mut kept),
                false => statement.attributes.end,
            };
            kept.push_str(&parts.join("; "));
            // What followed a name that went must not become a part of another: `1x` is two names, and `ax` is one.
            let is_cut_off = !parts.is_empty() && !keep[statement.first_edge + statement.nodes.len() - 2];
            if is_cut_off && !text[copied..].starts_with(|c: char| c.is_ascii_whitespace() || ";}".contains(c)) {
                kept.push(' ');
            }
        }
        kept + &text[copied..]
    }
}

impl Statement {
    /// The runs of edges that stay, each with all attributes, and first mentions where they are needed.
    fn parts(&self, text: &str, keep: &[bool], needs_first_mentions: bool) -> Vec<String> {
        let mut parts = Vec::new();
        let mut first = 0;
        while let Some(mention) = self.nodes.get(first) {
            let length = keep[first..].iter().take_while(|keep| **keep).count();
            let last = first + length;
            if length > 0 {
                let edges = &text[mention.whole.start..self.nodes[last].whole.end];
                let space = if self.attributes.is_empty() { "" } else { " " };
                parts.push(format!("{edges}{space}{}", &text[self.attributes.clone()]));
            } else if needs_first_mentions && mention.is_first {
                parts.push(text[mention.id.clone()].to_string());
            }
            first = last + 1;
        }
        parts
    }
}

/// Ends `kept` where a statement was taken out; gives the place in the text to go on from. A line on which nothing is
/// left goes with its end; else the spaces on one side go.
fn close_gap(text: &str, end: usize, kept: &mut String) -> usize {
    const SPACES: [char; 2] = [' ', '\t'];
    let after = text[end..].trim_start_matches(SPACES);
    let place = text.len() - after.len();
    if !after.is_empty() && !after.starts_with(['\n', '\r']) {
        if !kept.ends_with(|c: char| c.is_ascii_whitespace() || "{};]".contains(c)) {
            kept.push(' ');
        }
        return place;
    }
    kept.truncate(kept.trim_end_matches(SPACES).len());
    if !kept.is_empty() && !kept.ends_with(['\n', '\r']) {
        return place;
    }
    place + if after.starts_with("\r\n") { 2 } else { after.len().min(1) }
}
