//! The library that makes calls fail. Its source is in `tests/shim/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The path of the library, which is built on first use.
pub(crate) static SHIM: LazyLock<PathBuf> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim");
    // It has its own target folder, because that of the tests may be locked, or belong to another target.
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

/// A fault in the syntax of the shim. The top of its source describes it.
#[derive(Clone, Debug)]
pub(crate) struct Fault(String);

/// The number of calls to which a fault applied, and the number of calls that it changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) calls: u64,
    pub(crate) hit: u64,
}

impl Fault {
    /// A fault that applies `act` to these calls, under these conditions.
    pub(crate) fn new(calls: &str, act: &str, conditions: &str) -> Fault {
        let colon = if conditions.is_empty() { "" } else { ":" };
        Fault(format!("{calls}:{act}{colon}{conditions}"))
    }

    /// Adds the fault to a command; `log` is a file for [`Fault::seen`].
    pub(crate) fn strike(&self, command: &mut Command, log: &Path) {
        fs::write(log, [0; 16]).unwrap();
        command.env("LD_PRELOAD", &*SHIM).env("GRIDMILL_FAULT", &self.0).env("GRIDMILL_FAULT_LOG", log);
    }

    /// Reads the log of a run.
    pub(crate) fn seen(log: &Path) -> Seen {
        let log = fs::read(log).unwrap();
        let number = |at: usize| u64::from_ne_bytes(log[at..at + 8].try_into().unwrap());
        Seen { calls: number(0), hit: number(8) }
    }
}
