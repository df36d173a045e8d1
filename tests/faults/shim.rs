//! The library that makes calls fail: see `tests/shim/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The library, built when it is first needed.
pub(crate) static SHIM: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim");
    // A folder of its own: that of the tests may be locked, or be built for another target.
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--offline", "--package", "gridmill-shim", "--target-dir"])
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("CARGO_BUILD_TARGET")
        .env_remove("RUSTFLAGS")
        .status()
        .unwrap();
    assert!(built.success(), "the shim can't be built");
    target.join("debug/libgridmill_shim.so")
});

/// What the shim does: see there.
#[derive(Clone, Debug)]
pub(crate) struct Fault(String);

/// How many calls a run made that a fault is about, and how many of them it was in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) calls: u64,
    pub(crate) hit: u64,
}

impl Fault {
    /// An act on some calls, under conditions.
    pub(crate) fn new(calls: &str, act: &str, conditions: &str) -> Fault {
        let colon = if conditions.is_empty() { "" } else { ":" };
        Fault(format!("{calls}:{act}{colon}{conditions}"))
    }

    /// Lets a command meet the fault; `log` is a file for [`Fault::seen`].
    pub(crate) fn strike(&self, command: &mut Command, log: &Path) {
        fs::write(log, [0; 16]).unwrap();
        command.env("LD_PRELOAD", &*SHIM).env("GRIDMILL_FAULT", &self.0).env("GRIDMILL_FAULT_LOG", log);
    }

    pub(crate) fn seen(log: &Path) -> Seen {
        let log = fs::read(log).unwrap();
        let number = |at: usize| u64::from_ne_bytes(log[at..at + 8].try_into().unwrap());
        Seen { calls: number(0), hit: number(8) }
    }
}
