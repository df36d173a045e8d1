//! The page of `gridmill serve`, used as people use it: by keys and mouse in a real browser.
//!
//! Without `chromedriver` the tests are left out, unless `GRIDMILL_REQUIRE_BROWSER=1` demands them.

#![cfg(unix)]
#![allow(dead_code, unreachable_pub)]

mod driver;
mod loading;
mod server;
mod session;
