use super::StrongLinks;
use crate::logic::techniques::trial::Trial;

#[test]
fn two_links_in_rows_are_a_skyscraper() {
    let mut trial = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c3 r5c8");
    assert_eq!(trial.find(&StrongLinks::TWO), ["4.0 turbot-fish: 5 in r1c3, r3c3, r4c2 and r6c2"]);
    let reason = "of the 5s, row 2 has it in r2c2 or r2c8, row 5 has it in r5c8 or r5c3; r2c8 and r5c8 do not both \
                  hold it; so r2c2 or r5c3 does, and no cell that sees both ends";
    assert_eq!(trial.reasons(), [reason]);
}

#[test]
fn a_row_and_a_column_are_dearer_and_with_a_box_dearer_still() {
    let mut kite = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "c9", "r1c9 r6c9");
    assert_eq!(kite.find(&StrongLinks::TWO), ["4.1 turbot-fish: 5 in r6c2"]);
    assert!(kite.up_to(40).find(&StrongLinks::TWO).is_empty());
    let mut turbot = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "b6", "r4c8 r6c9");
    assert_eq!(turbot.find(&StrongLinks::TWO), ["4.2 turbot-fish: 5 in r6c2"]);
    let rows_and_box = || Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "b6", "r4c8 r6c9");
    let mut with_column = rows_and_box().confine(5, "c6", "r6c6 r8c6");
    assert_eq!(with_column.find(&StrongLinks::THREE), ["5.5 three-strong-links: 5 in r8c2"]);
    let rows = || Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c8 r5c4");
    let mut without_box = rows().confine(5, "c6", "r4c6 r8c6");
    assert_eq!(without_box.find(&StrongLinks::THREE), ["5.6 three-strong-links: 5 in r8c2"]);
    let mut skyscrapers = rows().confine(5, "r7", "r7c4 r7c3");
    assert_eq!(
        skyscrapers.find(&StrongLinks::THREE),
        ["5.4 three-strong-links: 5 in r1c3, r3c3, r8c2 and r9c2"]
    );
}

#[test]
fn groups_of_places_link_as_single_places_do() {
    let mut line = Trial::new().confine(5, "r2", "r2c2 r2c7 r2c8").confine(5, "c9", "r3c9 r6c9");
    assert_eq!(line.find(&StrongLinks::TWO), ["4.3 turbot-fish: 5 in r6c2"]);
    let mut empty_box = Trial::new().confine(5, "b1", "r2c1 r2c3 r1c2 r3c2").confine(5, "r8", "r8c2 r8c6");
    assert_eq!(empty_box.find(&StrongLinks::TWO), ["4.3 turbot-fish: 5 in r2c6"]);
    let mut full_cross =
        Trial::new().confine(5, "b1", "r2c1 r2c3 r1c2 r3c2 r2c2").confine(5, "r8", "r8c2 r8c6");
    assert_eq!(full_cross.find(&StrongLinks::TWO), ["4.3 turbot-fish: 5 in r2c6"]);
    let mut two_rows = Trial::new().confine(5, "b1", "r1c1 r1c2 r2c2 r2c3").confine(5, "c6", "r2c6 r8c6");
    assert!(two_rows.find(&StrongLinks::TWO).is_empty(), "the ends r1 and r8 meet nowhere");
    let mut ring =
        Trial::new().confine(5, "b1", "r1c1 r1c2 r2c2 r2c3").confine(5, "b3", "r1c7 r1c8 r2c8 r2c9");
    let rows = ["4.3 turbot-fish: 5 in r1c4, r1c5 and r1c6", "4.3 turbot-fish: 5 in r2c4, r2c5 and r2c6"];
    assert_eq!(ring.find(&StrongLinks::TWO), rows);
}

#[test]
fn the_middle_of_a_short_cross_goes_with_either_arm() {
    let corner = || Trial::new().confine(5, "b1", "r1c1 r1c2 r2c1");
    let mut column = corner().confine(5, "c5", "r2c5 r7c5").confine(5, "b9", "r7c8 r9c9");
    assert_eq!(column.find(&StrongLinks::THREE)[0], "5.7 three-strong-links: 5 in r1c9");
    let mut row = corner().confine(5, "r5", "r5c2 r5c7").confine(5, "b9", "r8c7 r9c9");
    assert_eq!(row.find(&StrongLinks::THREE)[0], "5.7 three-strong-links: 5 in r9c1");
}

#[test]
fn four_links_reach_further_than_three() {
    let three = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c8 r5c4");
    let mut four = three.confine(5, "r8", "r8c4 r8c6").confine(5, "r6", "r6c6 r6c1");
    assert_eq!(four.find(&StrongLinks::FOUR), ["5.8 four-strong-links: 5 in r1c1, r3c1 and r4c2"]);
}

#[test]
fn links_that_share_a_place_or_do_not_meet_make_nothing() {
    let mut shared = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "c8", "r2c8 r5c8");
    assert!(shared.find(&StrongLinks::TWO).is_empty());
    let mut apart = Trial::new().confine(5, "r2", "r2c2 r2c8").confine(5, "r5", "r5c3 r5c9");
    assert!(apart.find(&StrongLinks::TWO).is_empty());
}
