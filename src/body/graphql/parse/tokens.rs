//! Taking one token after another.

use super::{Fault, Parsed, Parser};
use crate::body::graphql::lex::Token;

impl<'a> Parser<'a> {
    #[inline(never)]
    pub(super) fn name(&mut self) -> Parsed<&'a str> {
        let Token::Name(name) = self.token else {
            return self.expected("a name");
        };
        self.advance();
        Ok(name)
    }

    #[inline(never)]
    pub(super) fn mark(&mut self, mark: u8, expected: &'static str) -> Parsed<()> {
        if self.token != Token::Mark(mark) {
            return self.expected(expected);
        }
        self.advance();
        Ok(())
    }

    #[inline(never)]
    pub(super) fn advance(&mut self) {
        self.token = self.lexer.next();
    }

    pub(super) fn expected<T>(&self, expected: &'static str) -> Parsed<T> {
        let at = self.lexer.start;
        Err(Fault::Unexpected { at, expected })
    }
}
