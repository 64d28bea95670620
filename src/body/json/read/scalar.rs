//! Values without children: strings, numbers and the three words.

use super::{Kind, Reader, Want};
use crate::body::fault::BodyFault;
use crate::body::json::text::{decode_escape, is_unit};

/// Most digits of an exponent. No protocol has use for more, and so exponents stay integers.
const EXPONENT_DIGITS: usize = 9;

impl Reader<'_> {
    pub(super) fn string(&mut self) -> Result<Want, BodyFault> {
        self.bump(1);
        let start = self.at;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let escape = self.rest().get(1..).unwrap_or_default();
                    let length = match decode_escape(escape) {
                        Some((_, length)) => Some(length),
                        None if !self.is_strict && is_unit(escape) => Some(5),
                        None => None,
                    };
                    let Some(length) = length else {
                        return Err(self.unexpected("an escape of JSON, surrogates in pairs"));
                    };
                    self.bump(length.saturating_add(1));
                }
                Some(0..=0x1f) => return Err(self.unexpected("control characters escaped")),
                Some(_) => self.bump(1),
                None => return Err(self.unexpected("the closing quote")),
            }
        }
        self.leaf(Kind::String, start)?;
        self.bump(1);
        Ok(Want::Next)
    }

    pub(super) fn number(&mut self) -> Result<Want, BodyFault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.bump(1);
        }
        if self.peek() == Some(b'0') {
            self.bump(1);
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.bump(1);
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.bump(1);
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.bump(1);
            }
            let digits = self.digits()?;
            let significant = digits.iter().skip_while(|&&digit| digit == b'0').count();
            if significant > EXPONENT_DIGITS {
                let detail = format!("a number's exponent has more than {EXPONENT_DIGITS} digits");
                let at = self.leaf(Kind::Number, start)?;
                return Err(BodyFault::invalid(self.document.pointer(at), &detail));
            }
        }
        self.leaf(Kind::Number, start)?;
        Ok(Want::Next)
    }

    fn digits(&mut self) -> Result<&[u8], BodyFault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.bump(1);
        }
        if self.at == start {
            return Err(self.unexpected("a digit"));
        }
        let bytes = self.document.text.as_bytes();
        Ok(bytes.get(start..self.at).unwrap_or_default())
    }

    pub(super) fn literal(&mut self, word: &str, kind: Kind) -> Result<Want, BodyFault> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.unexpected("a value"));
        }
        let start = self.at;
        self.bump(word.len());
        self.leaf(kind, start)?;
        Ok(Want::Next)
    }
}
