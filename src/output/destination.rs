//! Where rows go: standard output, or a file that gets its name when it is complete.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use same_file::Handle;
use tempfile::Builder;

use super::staged_file::StagedFile;
use super::standard_output::StandardOutput;
use crate::error::{Error, ErrorKind, display_name};
use crate::packing::{Compression, Encoder, check_name, split_member};

/// An output that is being written.
///
/// A file is written under a temporary name in the same directory, and renamed by
/// [`Destination::commit`]; dropped before that, it is removed. So a file of the output's name is always
/// whole. Devices and pipes are written directly. A name that ends in `.gz`, `.zst` or `.xz` gets compressed
/// bytes.
#[derive(Debug)]
pub struct Destination {
    name: Option<PathBuf>,
    writer: Encoder<Writer>,
}

#[derive(Debug)]
enum Writer {
    Stdout(StandardOutput),
    Direct(File),
    Staged { file: StagedFile, path: PathBuf },
}

/// The temporary files of this process, for an exit without destructors.
static STAGED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// How many links of a path are followed, as many as Linux follows.
const MOST_LINKS: usize = 40;

impl Destination {
    /// Opens standard output for `None`, or prepares a file. `input` must not be the same file.
    ///
    /// # Errors
    ///
    /// Where the file can't be made, or is the input.
    pub fn open(path: Option<&Path>, input: &File) -> Result<Destination, Error> {
        Destination::open_beside(path, &[input])
    }

    /// Opens standard output for `None`, or prepares a file. None of `inputs` may be the same file.
    ///
    /// # Errors
    ///
    /// Where the file can't be made, or is one of the inputs.
    pub fn open_beside(path: Option<&Path>, inputs: &[&File]) -> Result<Destination, Error> {
        let handle = |input: &&File| input.try_clone().and_then(Handle::from_file).ok();
        Destination::open_unless(path, |output| {
            inputs.iter().any(|input| handle(input).as_ref() == Some(output))
        })
    }

    /// Opens standard output for `None`, or prepares a file, before any input is open; an input of `None` is
    /// standard input. Inputs are opened only if they are regular files, and closed again.
    ///
    /// # Errors
    ///
    /// Where the file can't be made, or is one of the inputs.
    pub fn open_before(path: Option<&Path>, inputs: &[Option<&Path>]) -> Result<Destination, Error> {
        let handle = |input: Option<&Path>| match input {
            Some(path) => {
                let path = split_member(path).map_or(path, |(archive, _)| archive);
                Some(path).filter(|path| path.is_file()).and_then(|path| Handle::from_path(path).ok())
            }
            None => Handle::stdin().ok(),
        };
        Destination::open_unless(path, |output| {
            inputs.iter().any(|input| handle(*input).as_ref() == Some(output))
        })
    }

    fn open_unless(path: Option<&Path>, is_input: impl Fn(&Handle) -> bool) -> Result<Destination, Error> {
        let name = display_name(path, "<stdout>");
        let existing = match path {
            // Only regular files: opening a named pipe would wait for its reader.
            Some(path) if path.is_file() => Handle::from_path(path).ok(),
            Some(_) => None,
            None => Handle::stdout().ok().filter(is_regular),
        };
        if existing.is_some_and(|existing| is_input(&existing)) {
            return Err(ErrorKind::SameFile { path: name.to_owned() }.into());
        }
        Destination::create(path)
    }

    /// Opens standard output for `None`, or prepares a file, where there is no input.
    ///
    /// # Errors
    ///
    /// Where the file can't be made.
    pub fn create(path: Option<&Path>) -> Result<Destination, Error> {
        let name = display_name(path, "<stdout>");
        let writer = match path {
            None => Ok(Writer::Stdout(StandardOutput::new())),
            Some(path) => check_name(path).and_then(|()| open_file(path)),
        };
        let packed = writer.and_then(|writer| Encoder::new(path.and_then(Compression::of_name), writer));
        let writer = packed.map_err(|error| ErrorKind::Create { path: name.to_owned(), error })?;
        Ok(Destination { name: path.map(Path::to_owned), writer })
    }

    /// Returns whether both go to standard output, or to one file.
    #[must_use]
    pub fn is_same(&self, other: &Destination) -> bool {
        match (self.writer.get_ref(), other.writer.get_ref()) {
            (Writer::Stdout(_), Writer::Stdout(_)) => true,
            (Writer::Staged { path, .. }, Writer::Staged { path: other, .. }) => path == other,
            _ => false,
        }
    }

    /// Gives a complete file its name.
    ///
    /// # Errors
    ///
    /// Where the end of the file can't be written, or the file can't be renamed.
    pub fn commit(self) -> Result<(), Error> {
        Destination::commit_all([self])
    }

    /// Gives several files their names, once all of them are written to their ends.
    ///
    /// # Errors
    ///
    /// Where the end of a file can't be written (then none gets its name), or a file can't be renamed.
    pub fn commit_all(all: impl IntoIterator<Item = Destination>) -> Result<(), Error> {
        let finished = all.into_iter().map(Destination::finish).collect::<Result<Vec<_>, _>>()?;
        finished.into_iter().try_for_each(|writer| writer.keep_as(Path::to_owned).map(drop))
    }

    /// Keeps an incomplete file under its name and `.partial`, and returns that name, if there is a file.
    ///
    /// # Errors
    ///
    /// Where the end of the file can't be written, or the file can't be renamed.
    pub fn keep_partial(self) -> Result<Option<PathBuf>, Error> {
        self.finish()?.keep_as(Destination::partial_name)
    }

    /// Returns the name that an incomplete file of that name is kept under.
    #[must_use]
    pub fn partial_name(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        PathBuf::from(name)
    }

    /// Finishes the compression and the file.
    fn finish(self) -> Result<Writer, Error> {
        let finished = self.writer.finish().and_then(Writer::finish);
        let finished = finished.map_err(|error| about(self.name.as_deref(), error));
        finished.map_err(|error| ErrorKind::Write { error }.into())
    }
}

impl Writer {
    /// Writes a file to its end.
    fn finish(mut self) -> io::Result<Writer> {
        if let Writer::Staged { file, .. } = &mut self {
            file.finish()?;
        }
        Ok(self)
    }

    /// Renames a temporary file.
    fn keep_as(self, name: impl Fn(&Path) -> PathBuf) -> Result<Option<PathBuf>, Error> {
        let Writer::Staged { file, path } = self else { return Ok(None) };
        let path = name(&path);
        staged().retain(|staged| staged != file.path());
        match file.persist(&path) {
            Ok(()) => Ok(Some(path)),
            Err(failed) => Err(ErrorKind::Create { path, error: failed.error }.into()),
        }
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes).map_err(|error| about(self.name.as_deref(), error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(|error| about(self.name.as_deref(), error))
    }
}

/// Returns an error whose message names the file.
fn about(name: Option<&Path>, error: io::Error) -> io::Error {
    match name {
        Some(name) => io::Error::new(error.kind(), format!("{}: {error}", name.display())),
        None => error,
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Writer::Stdout(stdout) => stdout.write(bytes),
            Writer::Direct(file) => file.write(bytes),
            Writer::Staged { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Writer::Stdout(stdout) => stdout.flush(),
            Writer::Direct(_) => Ok(()),
            Writer::Staged { file, .. } => file.flush(),
        }
    }
}

/// Removes the temporary files of this process, for an exit without destructors.
pub(crate) fn remove_staged() {
    for path in staged().drain(..) {
        let _ = fs::remove_file(path);
    }
}

fn staged() -> MutexGuard<'static, Vec<PathBuf>> {
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open_file(path: &Path) -> io::Result<Writer> {
    // A link such as `/dev/stdout` may lead to a pipe, and its target is no path then.
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let path = if is_file || !path.exists() { behind_links(path) } else { path.to_owned() };
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            return fs::OpenOptions::new().write(true).open(&path).map(Writer::Direct);
        }
        Ok(metadata) if metadata.permissions().readonly() => {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Err(_) if path.file_name().is_none() || path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR]) => {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        _ => {}
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A canonical directory, so that a file has the same name however it was written.
    let directory = fs::canonicalize(directory)?;
    let mut prefix = path.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    let permissions = fs::metadata(&path).ok().map(|metadata| metadata.permissions());
    if let Some(permissions) = permissions.or_else(permissions_of_new_files) {
        builder.permissions(permissions);
    }
    let file = builder.tempfile_in(&directory)?;
    staged().push(file.path().to_owned());
    let file = StagedFile::new(file);
    Ok(Writer::Staged { file, path: directory.join(path.file_name().unwrap_or_default()) })
}

/// Returns the name at the end of a chain of links, whether or not there is a file: the rename then makes or
/// replaces that file, and keeps the links.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Returns the permissions that programs ask for when they make a file, less the user's mask.
fn permissions_of_new_files() -> Option<fs::Permissions> {
    #[cfg(unix)]
    return Some(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    #[cfg(not(unix))]
    return None;
}

fn is_regular(handle: &Handle) -> bool {
    handle.as_file().metadata().is_ok_and(|metadata| metadata.is_file())
}
