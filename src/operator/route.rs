//! Which of Weir's own pages a path is.

/// Where the pages are while no policy says.
pub const DEFAULT_ADMIN_PATH: &str = "/_weir";

/// What exists in this deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exists {
    /// The secret `ADMIN_TOKEN` is set: everything but the demo.
    pub admin: bool,
    /// `DEMO = "on"`.
    pub demo: bool,
}

/// One of Weir's own pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// The prefix without its final slash, against which no relative link would resolve.
    Slash,
    /// A static file.
    File {
        /// Below the folder of assets.
        file: String,
        /// Its Content-Type.
        media_type: &'static str,
    },
    /// `GET status`.
    Status,
    /// `GET metrics`.
    Metrics,
    /// `GET live`: what the console shows.
    Live,
    /// `POST explain`.
    Explain,
    /// `POST unblock`.
    Unblock,
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Routed {
    /// It is none of Weir's own.
    Elsewhere,
    /// It is, and there is nothing.
    Missing,
    /// There is something that takes only these methods.
    WrongMethod(&'static str),
    /// A page.
    Page(Page),
}

/// Finds the page. `path` is normalised; `slash` says whether it was written with a final slash.
#[must_use]
pub fn route(admin_path: &str, path: &str, slash: bool, method: &str, exists: Exists) -> Routed {
    let Some(rest) = path.strip_prefix(admin_path) else {
        return Routed::Elsewhere;
    };
    let rest = match rest.strip_prefix('/') {
        Some(rest) => rest,
        None if rest.is_empty() => "",
        None => return Routed::Elsewhere,
    };
    let Some(page) = page(rest, slash, exists) else {
        return Routed::Missing;
    };
    let allowed = match page {
        Page::Explain | Page::Unblock => "POST",
        _ => "GET, HEAD",
    };
    if allowed
        .split([',', ' '])
        .any(|known| !known.is_empty() && known == method)
    {
        Routed::Page(page)
    } else {
        Routed::WrongMethod(allowed)
    }
}

fn page(rest: &str, slash: bool, exists: Exists) -> Option<Page> {
    let of_demo = rest == "demo"
        || ["demo/", "client/", "weir-client."]
            .iter()
            .any(|start| rest.starts_with(start));
    let exists = match rest {
        "page.css" => exists.demo || exists.admin,
        _ if of_demo => exists.demo,
        _ => exists.admin,
    };
    if !exists {
        return None;
    }
    Some(match rest {
        "" if slash => file("console/index.html")?,
        "" => Page::Slash,
        "status" => Page::Status,
        "metrics" => Page::Metrics,
        "live" => Page::Live,
        "explain" => Page::Explain,
        "unblock" => Page::Unblock,
        "demo" => file("demo.html")?,
        "lab" => file("lab.html")?,
        // Shells have one address each.
        _ if rest.ends_with(".html") => return None,
        _ => file(rest)?,
    })
}

/// A file of a kind that is known; anything else does not exist.
fn file(file: &str) -> Option<Page> {
    let (name, ending) = file.rsplit_once('.')?;
    let media_type = match ending {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "ts" => "text/plain; charset=utf-8",
        _ => return None,
    };
    // A plain name: nothing that a file server could read in another way.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/.".contains(&byte);
    (name.bytes().all(plain) && crate::text::find(name, "..").is_none()).then(|| Page::File {
        file: file.to_owned(),
        media_type,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Exists = Exists {
        admin: true,
        demo: true,
    };

    #[track_caller]
    fn check(method: &str, written: &str, exists: Exists, expected: Routed) {
        let path = crate::http::path::normalise(written);
        let slash = written.ends_with('/');
        assert_eq!(
            route("/_weir", &path, slash, method, exists),
            expected,
            "{method} {written}"
        );
    }

    fn shown(file: &str, media_type: &'static str) -> Routed {
        Routed::Page(Page::File {
            file: file.to_owned(),
            media_type,
        })
    }

    #[test]
    fn pages_have_one_place_each() {
        let html = "text/html; charset=utf-8";
        check("GET", "/_weir", ALL, Routed::Page(Page::Slash));
        check("GET", "/_weir/", ALL, shown("console/index.html", html));
        check("HEAD", "/%5Fweir/", ALL, shown("console/index.html", html));
        check(
            "GET",
            "/x/..//_weir/status/",
            ALL,
            Routed::Page(Page::Status),
        );
        check("GET", "/_weir/demo", ALL, shown("demo.html", html));
        check(
            "GET",
            "/_weir/console/app.js",
            ALL,
            shown("console/app.js", "text/javascript; charset=utf-8"),
        );
        check("POST", "/_weir/explain", ALL, Routed::Page(Page::Explain));
    }

    #[test]
    fn nothing_beside_the_prefix_is_taken() {
        for path in [
            "/",
            "/_weirs",
            "/_weir-x/status",
            "/a/_weir/status",
            "/_WEIR/status",
        ] {
            check("GET", path, ALL, Routed::Elsewhere);
        }
    }

    #[test]
    fn what_does_not_exist_is_missing() {
        for path in [
            "/_weir/nothing",
            "/_weir/console/index.html",
            "/_weir/demo.html",
            "/_weir/a.exe",
            "/_weir/a%2Fb.js",
            "/_weir/status/x",
        ] {
            check("GET", path, ALL, Routed::Missing);
        }
    }

    #[test]
    fn without_a_token_only_the_demo_is_there() {
        let demo = Exists {
            admin: false,
            demo: true,
        };
        for path in [
            "/_weir",
            "/_weir/",
            "/_weir/status",
            "/_weir/console/app.js",
            "/_weir/lab",
        ] {
            check("GET", path, demo, Routed::Missing);
            check("POST", path, demo, Routed::Missing);
        }
        check(
            "GET",
            "/_weir/demo",
            demo,
            shown("demo.html", "text/html; charset=utf-8"),
        );
        let admin = Exists {
            admin: true,
            demo: false,
        };
        for path in [
            "/_weir/demo",
            "/_weir/demo/demo.js",
            "/_weir/weir-client.js",
            "/_weir/client/hints.js",
        ] {
            check("GET", path, admin, Routed::Missing);
        }
        let neither = Exists {
            admin: false,
            demo: false,
        };
        let style = || shown("page.css", "text/css; charset=utf-8");
        check("GET", "/_weir/page.css", demo, style());
        check("GET", "/_weir/page.css", admin, style());
        check("GET", "/_weir/page.css", neither, Routed::Missing);
    }

    #[test]
    fn each_page_says_which_methods_it_takes() {
        check(
            "POST",
            "/_weir/status",
            ALL,
            Routed::WrongMethod("GET, HEAD"),
        );
        check("DELETE", "/_weir/", ALL, Routed::WrongMethod("GET, HEAD"));
        check("GET", "/_weir/unblock", ALL, Routed::WrongMethod("POST"));
        check(
            "OPTIONS",
            "/_weir/explain",
            ALL,
            Routed::WrongMethod("POST"),
        );
    }
}
