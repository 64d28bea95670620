//! Does a client want a page? `Accept` by RFC 9110 section 12.5.1, as far as that question goes.

/// True where `text/html` is named and nothing JSON is preferred to it: a navigation by a browser.
/// `*/*` alone is what programs send, and does not ask for a page.
///
/// Of equal weights the one named first wins. A member that is no media range is passed over.
#[must_use]
pub fn prefers_html(accept: Option<&str>) -> bool {
    let Some(accept) = accept else { return false };
    let mut html: Option<(u16, usize)> = None;
    let mut json: Option<(u16, usize)> = None;
    let mut wildcard = 0;
    for (place, member) in accept.split(',').enumerate() {
        let mut parts = member.split(';');
        let range = parts.next().unwrap_or("").trim().to_ascii_lowercase();
        let weight = parts.map(str::trim).find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("q")
                .then_some(value.trim())
        });
        let Some(weight) = weight.map_or(Some(1000), thousandths) else {
            continue;
        };
        let best = match range.as_str() {
            "text/html" | "application/xhtml+xml" => &mut html,
            "application/json" | "application/problem+json" => &mut json,
            "application/*" | "*/*" => {
                wildcard = weight.max(wildcard);
                continue;
            }
            _ => continue,
        };
        if best.is_none_or(|(found, _)| weight > found) {
            *best = Some((weight, place));
        }
    }
    let Some((html_weight, html_place)) = html else {
        return false;
    };
    // A range covers JSON only where JSON itself is not named; it stands behind any name.
    let (json_weight, json_place) = json.unwrap_or((wildcard, usize::MAX));
    html_weight > 0
        && (html_weight > json_weight || html_weight == json_weight && html_place < json_place)
}

/// A weight (`0` to `1`, at most three decimals) in thousandths.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: u16 = format!("{decimals:0<3}").parse().ok()?;
    match whole {
        "0" => Some(fraction),
        "1" if fraction == 0 => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(accept: &str, expected: bool) {
        assert_eq!(prefers_html(Some(accept)), expected, "{accept:?}");
    }

    #[test]
    fn a_browser_that_navigates_gets_a_page() {
        check(
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
            true,
        );
        check("text/html, application/xhtml+xml, image/jxr, */*", true);
        check("TEXT/HTML", true);
        check("text/html;level=1;q=0.4, application/json;Q=0.3", true);
    }

    #[test]
    fn a_program_gets_json() {
        assert!(!prefers_html(None));
        check("", false);
        check("*/*", false);
        check("text/*", false);
        check("application/json, text/plain, */*", false);
        check("application/json, text/html", false);
        check("text/html, application/json", true);
        check("text/html;q=0", false);
        check("text/html;q=0.5, */*", false);
        check("text/html;q=0.9, application/json", false);
        check("text/html;q=0.5, application/json;q=0, */*", true);
        check("text/html;q=2", false);
        check("text/html;q=0.1234", false);
        check("text/html;q=", false);
        check(";q=1,,,", false);
    }

    proptest! {
        #[test]
        fn nothing_panics(accept in "\\PC*|(text/html|\\*/\\*|[;,q=.01é]){0,12}") {
            let _ = prefers_html(Some(&accept));
        }
    }
}
