use super::*;
use crate::replay::request::Request;
use crate::replay::when::Moments;
use crate::time::Timestamp;
use proptest::prelude::*;

fn entries(block: &[u8]) -> Vec<Entry<'_>> {
    let mut unpacker = Unpacker::default();
    std::iter::from_fn(|| unpacker.next(block)).collect()
}

const LINES: &[&str] = &[
    r#"203.0.113.7 - - [10/Oct/2000:13:55:36 -0700] "GET /a/b?u=%61 HTTP/1.0" 200 2326 "https://shop.example/" "Mozilla/5.0 (one)""#,
    r#"shop.example:443 2001:db8::1 - - [10/Oct/2000:13:55:37 -0700] "POST /a/./b HTTP/2.0" 204 - "https://shop.example/" "a \"b\" c""#,
    r#"{"time":1.5,"ip":"192.0.2.1","method":"GET","url":"https://h.example/x","country":"de","continent":"EU","asn":64512,"colo":"TXL","ja4":"t13d","verifiedbot":true,"bytes_in":70000,"headers":{"X-One":"1","cookie":"a=b; c=d"},"cookies":{"e":"f"}}"#,
    r#"{"time":2,"ip":"192.0.2.1","method":"","request":"GET /\u00e9?\u00e9 HTTP/1.1"}"#,
];

#[test]
fn everything_comes_back_as_it_was() {
    let mut packer = Packer::default();
    let mut moments = Moments::default();
    let read: Vec<_> = LINES
        .iter()
        .map(|line| Entry::read(line, &mut moments).expect("a readable line"))
        .collect();
    for entry in read.iter().chain(&read) {
        assert!(!packer.push(entry));
    }
    let block = packer.take();
    let expected = format!("{:?}", [&read[..], &read[..]].concat());
    assert_eq!(format!("{:?}", entries(&block)), expected);
    packer.push(&read[0]);
    let next = packer.take();
    assert_eq!(format!("{:?}", entries(&next)), format!("{:?}", &read[..1]));
}

#[test]
fn what_comes_again_takes_little() {
    let mut packer = Packer::default();
    let entry = Entry::read(LINES[0], &mut Moments::default()).expect("a readable line");
    let mut sizes = (0..2).map(|_| {
        let before = packer.block.len();
        packer.push(&entry);
        packer.block.len() - before
    });
    assert!(sizes.next().expect("one") > 70);
    assert!(sizes.next().expect("another") < 50);
}

proptest! {
    #[test]
    fn any_texts_in_any_order(texts in proptest::collection::vec("[ab]{0,12}|\\PC{0,40}", 1..60)) {
        let mut packer = Packer::default();
        let entry = |text: &String| Entry {
            at: Timestamp::from_micros(7),
            request: Request {
                path: text.clone().into(),
                headers: vec![(text.clone().into(), "value of it".into())],
                ..Request::default()
            },
            status: None,
            response_bytes: None,
        };
        for text in &texts {
            packer.push(&entry(text));
        }
        let block = packer.take();
        let found = entries(&block);
        let expected: Vec<_> = texts.iter().map(entry).collect();
        prop_assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    }

    #[test]
    fn bytes_of_somebody_else_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let found = entries(&bytes);
        prop_assert!(found.len() <= bytes.len());
    }
}
