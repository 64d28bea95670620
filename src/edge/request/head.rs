//! What every request is asked, and what follows from it.

use std::cell::OnceCell;

use crate::telemetry::Network;

/// Method, URL and the client's address, as [`js::head`](crate::edge::js::head) tells them. Requests
/// with the same one share it.
#[derive(Debug)]
pub struct Head {
    text: String,
    /// Where method and URL end.
    ends: OnceCell<(usize, usize)>,
    /// Where the client comes from.
    pub network: OnceCell<Network>,
}

impl Head {
    /// Of this text.
    #[must_use]
    pub fn new(text: String) -> Head {
        Head {
            text,
            ends: OnceCell::new(),
            network: OnceCell::new(),
        }
    }

    /// Bytes of it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// There is a body, even an empty one.
    #[must_use]
    pub fn has_body(&self) -> bool {
        self.text.starts_with('+')
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &str {
        self.text.get(1..self.ends().0).unwrap_or_default()
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &str {
        let (method, url) = self.ends();
        let url = self.text.get(method.saturating_add(1)..url);
        url.unwrap_or_default()
    }

    /// The client's address as the edge wrote it.
    #[must_use]
    pub fn client_ip(&self) -> Option<&str> {
        self.text.get(self.ends().1.saturating_add(1)..)
    }

    fn ends(&self) -> (usize, usize) {
        *self.ends.get_or_init(|| {
            // From both sides, for the URL is the longest of the three.
            let text = self.text.as_bytes();
            let is_end = |byte: &u8| *byte == b'\n';
            let method = text.iter().position(is_end).unwrap_or(text.len());
            let url = text.iter().rposition(is_end).filter(|at| *at > method);
            (method, url.unwrap_or(text.len()))
        })
    }
}
