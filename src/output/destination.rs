//! Where rows go: standard output, or a file that gets its name when it is complete.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use same_file::Handle;
use tempfile::Builder;

use super::leftovers::{SUFFIX, lock, remove_leftovers};
use super::partial::{PartialPaths, Saved};
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
        check_other(path, |output| inputs.iter().any(|input| handle(input).as_ref() == Some(output)))?;
        Destination::create(path)
    }

    /// Opens standard output for `None`, or prepares a file, before any input is open; an input of `None` is
    /// standard input. Inputs are opened only if they are regular files, and closed again.
    ///
    /// # Errors
    ///
    /// Where the file can't be made, or is one of the inputs.
    pub fn open_before(path: Option<&Path>, inputs: &[Option<&Path>]) -> Result<Destination, Error> {
        check_no_input(path, inputs)?;
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

    /// Goes on with an incomplete file, which is kept whatever happens, behind what was saved of it.
    pub(super) fn resume(paths: &PartialPaths, file: File, saved: &Saved) -> io::Result<Destination> {
        let file = StagedFile::kept(file, paths.partial.clone(), saved.bytes);
        let writer = Writer::Staged { file, path: paths.output.clone() };
        let compression = Compression::of_name(&paths.output);
        let writer = if saved.bytes == 0 {
            Encoder::new(compression, writer)?
        } else {
            Encoder::resumed(compression, writer, saved.rest.clone())?
        };
        Ok(Destination { name: Some(paths.output.clone()), writer })
    }

    /// Hands what has been written to the system, as far as it is whole frames, and returns where it ends.
    pub(super) fn save(&mut self) -> io::Result<Saved> {
        self.flush()?;
        let Writer::Staged { file, .. } = self.writer.get_ref() else { return Ok(Saved::default()) };
        Ok(Saved { bytes: file.written(), rest: self.writer.rest().to_vec() })
    }

    /// Gives a complete file its name, once it is on the disk and `note`, which takes its length, has noted so.
    pub(super) fn commit_synced(self, note: impl FnOnce(u64) -> Result<(), Error>) -> Result<(), Error> {
        let name = self.name.clone();
        let writer = self.finish()?;
        if let Writer::Staged { file, .. } = &writer {
            let synced = file.file().sync_all().map_err(|error| about(name.as_deref(), error));
            synced.map_err(|error| ErrorKind::Write { error })?;
            note(file.written())?;
        }
        writer.keep_as(Path::to_owned).map(drop)
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

/// Checks that an output is none of the inputs, of which `None` is standard input.
pub(super) fn check_no_input(path: Option<&Path>, inputs: &[Option<&Path>]) -> Result<(), Error> {
    let handle = |input: Option<&Path>| match input {
        Some(path) => {
            let path = split_member(path).map_or(path, |(archive, _)| archive);
            Some(path).filter(|path| path.is_file()).and_then(|path| Handle::from_path(path).ok())
        }
        None => Handle::stdin().ok(),
    };
    check_other(path, |output| inputs.iter().any(|input| handle(*input).as_ref() == Some(output)))
}

/// Checks that an output is no input.
fn check_other(path: Option<&Path>, is_input: impl Fn(&Handle) -> bool) -> Result<(), Error> {
    let existing = match path {
        // Only regular files: opening a named pipe would wait for its reader.
        Some(path) if path.is_file() => Handle::from_path(path).ok(),
        Some(_) => None,
        None => Handle::stdout().ok().filter(is_regular),
    };
    if existing.is_some_and(|existing| is_input(&existing)) {
        return Err(ErrorKind::SameFile { path: display_name(path, "<stdout>").to_owned() }.into());
    }
    Ok(())
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
            Err(error) => Err(ErrorKind::Create { path, error }.into()),
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
    let Target::File(path) = target(path)? else {
        return fs::OpenOptions::new().write(true).open(path).map(Writer::Direct);
    };
    let name = path.file_name().unwrap_or_default();
    let directory = directory_of(&path)?;
    for path in remove_leftovers(&directory, name) {
        report_leftover(&path);
    }
    let mut prefix = name.to_owned();
    prefix.push(".");
    let mut builder = Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX);
    let permissions = fs::metadata(&path).ok().map(|metadata| metadata.permissions());
    if let Some(permissions) = permissions.or_else(permissions_of_new_files) {
        builder.permissions(permissions);
    }
    let file = builder.tempfile_in(&directory)?;
    lock(file.as_file());
    staged().push(file.path().to_owned());
    Ok(Writer::Staged { file: StagedFile::temporary(file), path: directory.join(name) })
}

/// What stands behind the name of an output.
pub(super) enum Target {
    /// A file, or nothing yet, behind all links.
    File(PathBuf),
    /// A device or a pipe.
    Other,
}

/// Returns what stands behind the name of an output, unless it can't be written.
pub(super) fn target(path: &Path) -> io::Result<Target> {
    // A link such as `/dev/stdout` may lead to a pipe, and its target is no path then.
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let path = if is_file || !path.exists() { behind_links(path) } else { path.to_owned() };
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => Ok(Target::Other),
        Ok(metadata) if metadata.permissions().readonly() => Err(io::ErrorKind::PermissionDenied.into()),
        Err(_) if path.file_name().is_none() || path.to_string_lossy().ends_with(['/', MAIN_SEPARATOR]) => {
            Err(io::ErrorKind::NotADirectory.into())
        }
        _ => Ok(Target::File(path)),
    }
}

/// Reports a temporary file that was removed.
fn report_leftover(path: &Path) {
    #[cfg(feature = "cli")]
    super::eprint_message(format_args!(
        "gridmill: removed {}, which a run that was killed had left\n",
        path.display()
    ));
}

/// Returns the directory of a file in canonical form, so that a file has the same name however it was written.
pub(super) fn directory_of(path: &Path) -> io::Result<PathBuf> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    fs::canonicalize(parent.unwrap_or(Path::new(".")))
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
