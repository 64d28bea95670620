use super::*;

#[track_caller]
fn check_order(ascending: &[&str]) {
    let numbers: Vec<_> = ascending.iter().map(|text| Decimal::parse(text)).collect();
    for (i, one) in numbers.iter().enumerate() {
        for (j, other) in numbers.iter().enumerate() {
            assert_eq!(
                one.cmp(other),
                i.cmp(&j),
                "{} {}",
                ascending[i],
                ascending[j]
            );
        }
    }
}

#[test]
fn order_is_exact_at_any_length() {
    check_order(&[
        "-1e999999999",
        "-100",
        "-99.999999999999999999999999999999",
        "-1e-999999999",
        "0",
        "1e-999999999",
        "0.1",
        "0.10000000000000000000000000000000000001",
        "0.2",
        "1",
        "9",
        "10",
        "9007199254740992",
        "9007199254740993",
        "18446744073709551616",
        "1e999999998",
        "1e999999999",
    ]);
}

#[track_caller]
fn check_equal(texts: &[&str]) {
    let first = Decimal::parse(texts[0]);
    for text in texts {
        assert_eq!(Decimal::parse(text), first, "{text}");
        let (mut one, mut other) = (Vec::new(), Vec::new());
        first.write_canonical(&mut one);
        Decimal::parse(text).write_canonical(&mut other);
        assert_eq!(one, other, "{text}");
    }
}

#[test]
fn the_way_of_writing_does_not_matter() {
    check_equal(&["0", "-0", "0.0", "0e5", "-0.000e-7", "0e999999999"]);
    check_equal(&["1", "1.0", "10e-1", "0.1e1", "1E+0", "0.001e0003"]);
    check_equal(&["-1200", "-12e2", "-1.200E3"]);
    check_equal(&["1e999999999", "10e999999998", "0.1e1000000000"]);
}

#[track_caller]
fn check_count(text: &str, count: Option<u64>) {
    assert_eq!(Decimal::parse(text).to_count(), count, "{text}");
}

#[test]
fn counts_are_whole_not_negative_and_saturate() {
    check_count("0", Some(0));
    check_count("-0", Some(0));
    check_count("7", Some(7));
    check_count("7.0", Some(7));
    check_count("70e-1", Some(7));
    check_count("1e3", Some(1000));
    check_count("18446744073709551615", Some(u64::MAX));
    check_count("18446744073709551616", Some(u64::MAX));
    check_count("1e999999999", Some(u64::MAX));
    check_count("0.5", None);
    check_count("1e-999999999", None);
    check_count("-1", None);
}

#[track_caller]
fn check_multiple(number: &str, step: &str, multiple: bool) {
    let step = Step::new(&Decimal::parse(step)).unwrap();
    assert_eq!(
        Decimal::parse(number).is_multiple_of(&step),
        multiple,
        "{number} {step:?}"
    );
}

#[test]
fn multiples_are_exact() {
    check_multiple("0", "7", true);
    check_multiple("-14", "7", true);
    check_multiple("15", "7", false);
    check_multiple("19.99", "0.01", true);
    check_multiple("19.995", "0.01", false);
    check_multiple("0.3", "0.1", true);
    check_multiple("1e999999999", "1024", true);
    check_multiple("1e999999999", "3", false);
    check_multiple("100", "1e2", true);
    check_multiple("10", "1e2", false);
    check_multiple("1e-999999999", "1", false);
    check_multiple("9007199254740993", "2", false);
    check_multiple("9007199254740992", "2", true);
    check_multiple("1e17", "999999999999999999", false);
    check_multiple("999999999999999999e40", "999999999999999999", true);
    // 2^59: the most factors of two that 18 digits hold need 59 tens.
    check_multiple("1e59", "576460752303423488", true);
    check_multiple("1e58", "576460752303423488", false);
}

#[test]
fn a_step_is_above_zero_and_fits() {
    for text in ["0", "-1", "1234567890123456789", "0.1234567890123456789"] {
        assert_eq!(Step::new(&Decimal::parse(text)), None, "{text}");
    }
}
