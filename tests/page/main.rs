//! The page of `gridmill serve`, used as people use it: with keyboard and mouse in a real browser.
//!
//! Without `chromedriver` the tests are skipped, unless `GRIDMILL_REQUIRE_BROWSER=1` is set. In the same way
//! `firefox.rs` needs Firefox, and `axe.rs` needs axe-core.

#![cfg(unix)]
#![allow(unreachable_pub)]

mod axe;
mod collection;
mod driver;
mod exporting;
mod firefox;
mod keyboard;
mod loading;
mod looks;
mod opening;
mod oracle;
mod server;
mod session;
mod setting;
mod sharing;
mod sheet;
mod solving;
mod speed;
mod typing;
mod working;
