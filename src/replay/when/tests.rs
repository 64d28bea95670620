use super::*;

#[track_caller]
fn check(text: &str, us: Option<u64>) {
    assert_eq!(parse(text).map(Timestamp::as_micros), us, "{text}");
}

#[test]
fn the_same_moment_in_every_form() {
    let us = Some(971_211_336_000_000);
    check("10/Oct/2000:13:55:36 -0700", us);
    check("[10/Oct/2000:20:55:36 +0000]", us);
    check("2000-10-10T20:55:36Z", us);
    check("2000-10-10 22:55:36+02:00", us);
    check("2000-10-10T20:55:36", us);
    check("971211336", us);
    check("971211336.000", us);
    check("971211336000", us);
    check("971211336000000", us);
    check("971211336000000000", us);
}

#[test]
fn fractions_are_kept_to_the_microsecond() {
    check("2000-10-10T20:55:36.25-00:00", Some(971_211_336_250_000));
    check("2000-10-10 20:55:36,123456789", Some(971_211_336_123_456));
    check("971211336.5", Some(971_211_336_500_000));
    check("971211336250.5", Some(971_211_336_250_500));
}

#[test]
fn what_is_no_time_is_none() {
    for text in [
        "",
        ".",
        "-",
        "yesterday",
        "2000-13-01T00:00:00Z",
        "2000-10-10T25:00:00Z",
        "10/Oct/1969:13:55:36 -0700",
        "99999999999999999999",
        "2000-10-10",
        "1.x",
        "2000-10-10T20:55:36+",
        "10/Okt/2000:13:55:36 -0700",
    ] {
        check(text, None);
    }
}

#[test]
fn showing_undoes_reading() {
    for text in [
        "1970-01-01 00:00:00",
        "2000-02-29 23:59:59",
        "2000-03-01 00:00:00",
        "2026-11-29 21:07:40",
        "2100-02-28 12:00:00",
        "2100-03-01 12:00:00",
        "9999-12-31 23:59:59",
    ] {
        let at = parse(text).expect("a time").as_micros();
        assert_eq!(show(at / 1_000_000), text);
    }
}
