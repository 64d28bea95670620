//! The page that a person sees when a navigation is refused: small, whole in itself, in both colour
//! schemes, readable by a screen reader. It asks for nothing and runs nothing.

use std::fmt::Write as _;

/// What the page may load: its own style, and nothing else from anywhere.
pub const CONTENT_SECURITY_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.125rem/1.6 system-ui,sans-serif;\
background:#f6f7f9;color:#1b1f24}\
main{max-width:34rem;padding:2rem}\
h1{margin:0 0 .5rem;font-size:1.75rem;line-height:1.2}\
p{margin:.5rem 0}\
.wait{font-weight:600}\
.code{color:#57606a;font-size:.9rem}\
@media(prefers-color-scheme:dark){body{background:#12161b;color:#e6e9ed}.code{color:#9aa4af}}";

/// The page. `title` and `message` are escaped.
#[must_use]
pub fn page(status: u16, title: &str, message: &str, retry_after_s: Option<u64>) -> String {
    let title = escape(title);
    let message = escape(message);
    let mut wait = String::new();
    if let Some(seconds) = retry_after_s {
        // Writing to a string cannot fail.
        let _ = write!(
            wait,
            "<p class=\"wait\">Please try again in <time datetime=\"PT{seconds}S\">{}</time>.</p>",
            duration(seconds)
        );
    }
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><title>{title}</title><style>{STYLE}</style></head>\
         <body><main><h1>{title}</h1><p>{message}</p>{wait}<p class=\"code\">Status {status}</p>\
         </main></body></html>\n"
    )
}

/// A time to wait in the largest unit that says it well, rounded up.
fn duration(seconds: u64) -> String {
    const UNITS: [(u64, &str); 4] = [
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
        (1, "second"),
    ];
    let (length, unit) = UNITS
        .into_iter()
        // Two of a unit at least: "90 seconds" says more than "2 minutes".
        .find(|(length, _)| seconds >= length.saturating_mul(2))
        .unwrap_or((1, "second"));
    let count = seconds.div_ceil(length.max(1));
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_when_to_come_back() {
        for (seconds, expected) in [
            (1, "1 second"),
            (90, "90 seconds"),
            (120, "2 minutes"),
            (121, "3 minutes"),
            (7_199, "120 minutes"),
            (7_200, "2 hours"),
            (2_147_483_647, "24856 days"),
        ] {
            assert_eq!(duration(seconds), expected);
        }
        let page = page(429, "Too many requests", "Slow down.", Some(10));
        assert!(page.contains("in <time datetime=\"PT10S\">10 seconds</time>."));
        assert!(page.contains("<html lang=\"en\">"));
        assert!(page.contains("<h1>Too many requests</h1>"));
    }

    #[test]
    fn without_a_time_it_names_none() {
        assert!(!page(403, "Forbidden", "No.", None).contains("try again"));
    }

    #[test]
    fn whatever_is_put_in_is_text() {
        let page = page(400, "<script>", "\"'&</main><img src=//x>", None);
        assert!(page.contains("<h1>&lt;script&gt;</h1>"));
        assert!(page.contains("&quot;&#39;&amp;&lt;/main&gt;&lt;img src=//x&gt;"));
        assert_eq!(page.matches("</main>").count(), 1);
    }

    #[test]
    fn it_loads_nothing_from_anywhere() {
        let page = page(429, "T", "M", Some(1));
        for trace in [
            "http:", "https:", "src=", "href=", "url(", "@import", "<script", "<link",
        ] {
            assert!(!page.contains(trace), "{trace}");
        }
        assert!(page.len() < 2_000);
    }
}
