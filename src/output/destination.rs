//! Where rows go: standard output, or a file that gets its name when it is complete.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;
use tempfile::{Builder, NamedTempFile};

use crate::error::{Error, ErrorKind};

/// An output being written.
///
/// A file is written under a temporary name in the same directory, and renamed by
/// [`Destination::commit`]; dropped before that, it is removed. So a file of the output's name is always
/// whole. Devices and pipes are written directly.
#[derive(Debug)]
pub struct Destination {
    writer: Writer,
}

#[derive(Debug)]
enum Writer {
    Stdout(io::Stdout),
    Direct(File),
    Staged { file: NamedTempFile, path: PathBuf },
}

impl Destination {
    /// Opens standard output for `None`, or prepares a file. `input` must not be the same file.
    ///
    /// # Errors
    ///
    /// Where the file can't be made, or is the input.
    pub fn open(path: Option<&Path>, input: &File) -> Result<Destination, Error> {
        let name = path.unwrap_or(Path::new("<stdout>"));
        let existing = match path {
            Some(path) => Handle::from_path(path).ok(),
            None => Handle::stdout().ok(),
        };
        let input = input.try_clone().and_then(Handle::from_file).ok();
        if existing.as_ref().is_some_and(|existing| Some(existing) == input.as_ref() && is_regular(existing))
        {
            return Err(ErrorKind::SameFile { path: name.to_owned() }.into());
        }
        let writer = match path {
            None => Ok(Writer::Stdout(io::stdout())),
            Some(path) => open_file(path),
        };
        let writer = writer.map_err(|error| ErrorKind::Create { path: name.to_owned(), error })?;
        Ok(Destination { writer })
    }

    /// Gives a complete file its name.
    ///
    /// # Errors
    ///
    /// Where it can't be renamed.
    pub fn commit(self) -> Result<(), Error> {
        self.keep_as(Path::to_owned).map(drop)
    }

    /// Keeps an incomplete file under its name and `.partial`. Returns that name, if there is a file.
    ///
    /// # Errors
    ///
    /// Where it can't be renamed.
    pub fn keep_partial(self) -> Result<Option<PathBuf>, Error> {
        self.keep_as(|path| {
            let mut name = path.as_os_str().to_owned();
            name.push(".partial");
            PathBuf::from(name)
        })
    }

    fn keep_as(self, name: impl Fn(&Path) -> PathBuf) -> Result<Option<PathBuf>, Error> {
        let Writer::Staged { file, path } = self.writer else { return Ok(None) };
        let path = name(&path);
        match file.persist(&path) {
            Ok(_) => Ok(Some(path)),
            Err(failed) => Err(ErrorKind::Create { path, error: failed.error }.into()),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.writer {
            Writer::Stdout(stdout) => stdout.write(bytes),
            Writer::Direct(file) => file.write(bytes),
            Writer::Staged { file, .. } => file.as_file_mut().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.writer {
            Writer::Stdout(stdout) => stdout.flush(),
            Writer::Direct(_) | Writer::Staged { .. } => Ok(()),
        }
    }
}

fn open_file(path: &Path) -> io::Result<Writer> {
    // Through a link, so that the rename replaces the file and leaves the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            return fs::OpenOptions::new().write(true).open(&path).map(Writer::Direct);
        }
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        _ => {}
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    let permissions = fs::metadata(&path).ok().map(|metadata| metadata.permissions());
    if let Some(permissions) = permissions.or_else(permissions_of_new_files) {
        builder.permissions(permissions);
    }
    let file = builder.tempfile_in(directory)?;
    Ok(Writer::Staged { file, path })
}

/// What any program asks for when it makes a file; the user's mask is taken from it.
fn permissions_of_new_files() -> Option<fs::Permissions> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    return None;
}

fn is_regular(handle: &Handle) -> bool {
    handle.as_file().metadata().is_ok_and(|metadata| metadata.is_file())
}
