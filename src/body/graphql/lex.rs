//! The tokens of GraphQL (section 2.1), one at a time. What matters here is that no other lexer sees
//! a string or a comment end elsewhere.

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// One of `! $ & ( ) : = @ [ ] { | }`.
    Mark(u8),
    /// `...`
    Spread,
    Name(&'a str),
    Number,
    Text,
    /// Nothing follows.
    End,
    /// What comes next is no token.
    Bad,
}

/// Reads tokens from the front of a text.
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Byte offset of what comes after the last token.
    at: usize,
    /// Byte offset of the last token.
    pub(super) start: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer {
            text,
            at: 0,
            start: 0,
        }
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        self.skip_ignored();
        self.start = self.at;
        let Some(first) = self.peek() else {
            return Token::End;
        };
        let token = match first {
            b'!' | b'$' | b'&' | b'(' | b')' | b':' | b'=' | b'@' | b'[' | b']' | b'{' | b'|'
            | b'}' => {
                self.bump(1);
                Some(Token::Mark(first))
            }
            b'.' => self.eat("...").then_some(Token::Spread),
            b'"' => self.string().map(|()| Token::Text),
            b'-' | b'0'..=b'9' => self.number().map(|()| Token::Number),
            _ if is_name_start(first) => {
                self.skip(|byte| is_name_start(byte) || byte.is_ascii_digit());
                self.text.get(self.start..self.at).map(Token::Name)
            }
            _ => None,
        };
        token.unwrap_or(Token::Bad)
    }

    /// White space, commas, comments and the byte-order mark.
    fn skip_ignored(&mut self) {
        loop {
            self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b','));
            if self.peek() == Some(b'#') {
                self.skip(|byte| !matches!(byte, b'\n' | b'\r'));
            } else if !self.eat("\u{feff}") {
                return;
            }
        }
    }

    fn number(&mut self) -> Option<()> {
        self.eat("-");
        if !self.eat("0") {
            self.digits()?;
        }
        if self.eat(".") {
            self.digits()?;
        }
        if self.eat("e") || self.eat("E") {
            if !self.eat("+") {
                self.eat("-");
            }
            self.digits()?;
        }
        let next = self.peek();
        let runs_on =
            next.is_some_and(|byte| byte == b'.' || byte.is_ascii_digit() || is_name_start(byte));
        (!runs_on).then_some(())
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        self.skip(|byte| byte.is_ascii_digit());
        (self.at > start).then_some(())
    }

    fn string(&mut self) -> Option<()> {
        if self.eat("\"\"\"") {
            return self.block_string();
        }
        self.bump(1);
        loop {
            match self.peek()? {
                b'"' => {
                    self.bump(1);
                    return Some(());
                }
                b'\\' => {
                    self.bump(1);
                    self.escape()?;
                }
                b'\t' | 0x20.. => self.bump(1),
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        let escape = self.peek()?;
        self.bump(1);
        match escape {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let braced = self.eat("{");
                let start = self.at;
                let most = if braced { 8 } else { 4 };
                while self.at.saturating_sub(start) < most
                    && self.peek().is_some_and(|byte| byte.is_ascii_hexdigit())
                {
                    self.bump(1);
                }
                let count = self.at.saturating_sub(start);
                let whole = if braced {
                    count > 0 && self.eat("}")
                } else {
                    count == 4
                };
                whole.then_some(())
            }
            _ => None,
        }
    }

    fn block_string(&mut self) -> Option<()> {
        loop {
            if self.eat("\"\"\"") {
                return Some(());
            }
            if !self.eat("\\\"\"\"") {
                self.peek()?;
                self.bump(1);
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn bump(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn skip(&mut self, skips: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&skips) {
            self.bump(1);
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let eaten = rest.starts_with(text.as_bytes());
        if eaten {
            self.bump(text.len());
        }
        eaten
    }
}

fn is_name_start(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic()
}
