//! The grammar of executable documents (sections 2.2 to 2.12), and per definition what it weighs
//! without the fragments that it spreads.

mod tokens;

use super::MAX_NESTING;
use super::lex::{Lexer, Token};
use super::weigh::Weight;

/// An operation or a fragment.
pub(super) struct Definition<'a> {
    /// The name of a fragment; none for an operation.
    pub(super) fragment: Option<&'a str>,
    /// What stands in it, fragments that it spreads not included.
    pub(super) own: Weight,
    pub(super) spreads: Vec<Spread<'a>>,
}

/// A place where a fragment is spread.
pub(super) struct Spread<'a> {
    pub(super) name: &'a str,
    /// How many fields stand around it.
    pub(super) depth: u64,
}

/// Why a document does not parse.
pub(super) enum Fault {
    Unexpected { at: usize, expected: &'static str },
    TooNested,
}

type Parsed<T> = Result<T, Fault>;

/// All definitions of a document; at least one.
pub(super) fn parse(text: &str) -> Parsed<Vec<Definition<'_>>> {
    let mut lexer = Lexer::new(text);
    let token = lexer.next();
    let mut parser = Parser {
        lexer,
        token,
        definition: Definition::new(None),
    };
    let mut definitions = Vec::new();
    loop {
        definitions.push(parser.definition()?);
        if parser.token == Token::End {
            return Ok(definitions);
        }
    }
}

impl<'a> Definition<'a> {
    fn new(fragment: Option<&'a str>) -> Self {
        Definition {
            fragment,
            own: Weight::default(),
            spreads: Vec::new(),
        }
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    token: Token<'a>,
    /// The one that is being read.
    definition: Definition<'a>,
}

impl<'a> Parser<'a> {
    fn definition(&mut self) -> Parsed<Definition<'a>> {
        if self.token == Token::Text {
            self.advance();
        }
        let mut fragment = None;
        match self.token {
            Token::Mark(b'{') => {}
            Token::Name("query" | "mutation" | "subscription") => {
                self.advance();
                if let Token::Name(_) = self.token {
                    self.advance();
                }
                if self.token == Token::Mark(b'(') {
                    self.variables()?;
                }
                self.directives()?;
            }
            Token::Name("fragment") => {
                self.advance();
                if self.token == Token::Name("on") {
                    return self.expected("the name of the fragment");
                }
                fragment = Some(self.name()?);
                if self.token != Token::Name("on") {
                    return self.expected("`on`");
                }
                self.advance();
                self.name()?;
                self.directives()?;
            }
            _ => return self.expected("an operation or a fragment"),
        }
        self.definition = Definition::new(fragment);
        self.definition.own.operations = u64::from(fragment.is_none());
        self.selections(0, 0)?;
        Ok(std::mem::replace(
            &mut self.definition,
            Definition::new(None),
        ))
    }

    /// A selection set inside `depth` fields and `nesting` braces. Recursion is bounded by the latter.
    fn selections(&mut self, depth: u64, nesting: usize) -> Parsed<()> {
        if nesting >= MAX_NESTING {
            return Err(Fault::TooNested);
        }
        let nesting = nesting.saturating_add(1);
        self.mark(b'{', "`{`")?;
        loop {
            match self.token {
                Token::Spread => {
                    self.advance();
                    self.fragment(depth, nesting)?;
                }
                _ => self.field(depth, nesting)?,
            }
            if self.token == Token::Mark(b'}') {
                self.advance();
                return Ok(());
            }
        }
    }

    /// What follows `...`: a fragment's name, or an inline fragment.
    fn fragment(&mut self, depth: u64, nesting: usize) -> Parsed<()> {
        match self.token {
            Token::Name("on") => {
                self.advance();
                self.name()?;
            }
            Token::Name(name) => {
                self.advance();
                self.definition.spreads.push(Spread { name, depth });
                return self.directives();
            }
            _ => {}
        }
        self.directives()?;
        self.selections(depth, nesting)
    }

    fn field(&mut self, depth: u64, nesting: usize) -> Parsed<()> {
        self.name()?;
        let alias = self.token == Token::Mark(b':');
        if alias {
            self.advance();
            self.name()?;
        }
        let inside = depth.saturating_add(1);
        self.definition.own.add_field(inside, alias);
        self.arguments()?;
        self.directives()?;
        if self.token == Token::Mark(b'{') {
            self.selections(inside, nesting)?;
        }
        Ok(())
    }

    fn variables(&mut self) -> Parsed<()> {
        self.mark(b'(', "`(`")?;
        loop {
            if self.token == Token::Text {
                self.advance();
            }
            self.mark(b'$', "a variable")?;
            self.name()?;
            self.mark(b':', "`:`")?;
            self.type_reference()?;
            if self.token == Token::Mark(b'=') {
                self.advance();
                self.value()?;
            }
            self.directives()?;
            if self.token == Token::Mark(b')') {
                self.advance();
                return Ok(());
            }
        }
    }

    #[inline(never)]
    fn type_reference(&mut self) -> Parsed<()> {
        let mut lists: usize = 0;
        while self.token == Token::Mark(b'[') {
            if lists >= MAX_NESTING {
                return Err(Fault::TooNested);
            }
            lists = lists.saturating_add(1);
            self.advance();
        }
        self.name()?;
        self.non_null();
        for _ in 0..lists {
            self.mark(b']', "`]`")?;
            self.non_null();
        }
        Ok(())
    }

    fn non_null(&mut self) {
        if self.token == Token::Mark(b'!') {
            self.advance();
        }
    }

    #[inline(never)]
    fn directives(&mut self) -> Parsed<()> {
        while self.token == Token::Mark(b'@') {
            self.advance();
            self.name()?;
            self.arguments()?;
        }
        Ok(())
    }

    #[inline(never)]
    fn arguments(&mut self) -> Parsed<()> {
        if self.token != Token::Mark(b'(') {
            return Ok(());
        }
        self.advance();
        loop {
            self.name()?;
            self.mark(b':', "`:`")?;
            self.value()?;
            if self.token == Token::Mark(b')') {
                self.advance();
                return Ok(());
            }
        }
    }

    /// A value of any kind. Lists and objects are followed without recursion.
    #[inline(never)]
    fn value(&mut self) -> Parsed<()> {
        let mut closers = Vec::new();
        loop {
            match self.token {
                Token::Mark(open @ (b'[' | b'{')) => {
                    if closers.len() >= MAX_NESTING {
                        return Err(Fault::TooNested);
                    }
                    closers.push(if open == b'[' { b']' } else { b'}' });
                    self.advance();
                }
                Token::Mark(b'$') => {
                    self.advance();
                    self.name()?;
                }
                Token::Name(_) | Token::Number | Token::Text => self.advance(),
                _ => return self.expected("a value"),
            }
            while let Some(&closer) = closers.last()
                && self.token == Token::Mark(closer)
            {
                closers.pop();
                self.advance();
            }
            match closers.last() {
                None => return Ok(()),
                Some(b'}') => {
                    self.name()?;
                    self.mark(b':', "`:`")?;
                }
                Some(_) => {}
            }
        }
    }
}
