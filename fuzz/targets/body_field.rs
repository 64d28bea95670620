//! Any bytes as a form, a multipart body or JSON, under any Content-Type: nothing panics, and what is
//! found once is found again. The first line is the Content-Type, the second the name.

use weir::body::{ByteBound, Fields, content_length, field, is_field_name};

/// One input.
pub fn run(bytes: &[u8]) {
    let mut lines = bytes.splitn(3, |&byte| byte == b'\n');
    let mut text = || String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let (content_type, name) = (text(), text());
    let body = lines.next().unwrap_or_default();
    let _ = is_field_name(&name);
    for content_type in [
        content_type.as_str(),
        "application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=b",
    ] {
        let fields = Fields::read(Some(content_type), body);
        assert_eq!(fields.get(&name), field(Some(content_type), body, &name));
    }
    let length = content_length(&content_type).unwrap_or_default();
    let mut bound = ByteBound::new(length);
    assert!(bound.declare(length).is_ok());
    assert!(bound.push(length).is_ok());
    // Counting saturates, so the largest bound of all is never passed.
    assert_eq!(bound.push(1).is_err(), length < u64::MAX);
}
