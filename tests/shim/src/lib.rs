//! Makes system calls of a program fail. `LD_PRELOAD` loads this library into the program.
//!
//! A seccomp filter passes the calls that are to fail to a handler of `SIGSYS` in this file. So it catches
//! them whether the C library, the runtime, or a crate with its own system calls makes them. The handler
//! makes the call itself, from the one address that the filter lets pass, or answers in place of the system.
//! The C library's `pthread_create` and `clock_gettime` are replaced instead, because they are not system
//! calls.
//!
//! `GRIDMILL_FAULT=CALLS:ACT[:CONDITION,...]` describes the fault, e.g.
//! `write,writev:ENOSPC:path=o.csv,nth=3`:
//!
//! - `CALLS` are names of system calls, `pthread_create`, `clock` or `wall-clock`, separated by commas;
//! - `ACT` is the name of an error (`ENOSPC`), `short=N` (a read or write transfers at most N bytes),
//!   `back=N` (a clock is set back by N seconds), or `count` (calls are only counted);
//! - a `CONDITION` is `path=TEXT` (the name of the file, or of one of them, contains the text; all further
//!   conditions count only such calls), `nth=N` (only the Nth call), `from=N` (the Nth call and all later
//!   ones), `every=N` (one in N, irregularly, so that a loop of N calls does not always meet it), or
//!   `at-byte=N` (once N bytes were read or written; the call that would exceed N is shortened).
//!
//! `GRIDMILL_FAULT_LOG` names a file of 16 bytes that receives two numbers: how many such calls were made,
//! and how many of them were changed.

#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
// A library that is loaded into another program, and handles its signals, needs unsafe code.
#![allow(unsafe_code)]

use std::ffi::{CStr, OsString, c_char, c_int, c_long, c_void};
use std::os::unix::ffi::OsStringExt;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{
    clockid_t, iovec, pthread_attr_t, pthread_t, siginfo_t, sock_filter, sock_fprog, timespec, ucontext_t,
};

/// A fault: what happens, to which calls, and when.
struct Fault {
    calls: Vec<Call>,
    act: Act,
    path: Option<Vec<u8>>,
    nth: u64,
    from: u64,
    every: u64,
    at_byte: Option<u64>,
    /// The number of calls that were seen, and of those that were changed.
    log: &'static [AtomicU64; 2],
    /// The number of bytes that were read or written.
    moved: AtomicU64,
}

#[derive(Clone, Copy, PartialEq)]
enum Act {
    Count,
    Error(c_int),
    Short(u64),
    Back(i64),
}

/// A call that may fail.
#[derive(Clone, Copy, PartialEq)]
enum Call {
    System(c_long, Names),
    NewThread,
    /// All clocks, or only the wall clock.
    Clock {
        only_wall: bool,
    },
}

/// The arguments of a system call that name its file.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    Nothing,
    Descriptor(usize),
    Path(usize),
    Paths(usize, usize),
}

static FAULT: OnceLock<Fault> = OnceLock::new();

static NO_LOG: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

// SAFETY: the section holds functions that are called before the program begins, by which time the C library works.
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

/// Reads the fault from the environment. This runs before the program begins.
extern "C" fn begin() {
    let Some(text) = std::env::var_os("GRIDMILL_FAULT") else { return };
    let fault = match parse(&text.to_string_lossy()) {
        Ok(fault) => FAULT.get_or_init(|| fault),
        Err(reason) => give_up(&format!("GRIDMILL_FAULT: {reason}")),
    };
    let system_call = |call: &Call| if let Call::System(number, _) = call { Some(*number) } else { None };
    let numbers: Vec<c_long> = fault.calls.iter().filter_map(system_call).collect();
    if !numbers.is_empty() && !trap(&numbers) {
        give_up("the seccomp filter can't be set");
    }
}

/// Ends the program with an exit code that it never uses itself.
fn give_up(reason: &str) -> ! {
    eprintln!("gridmill-shim: {reason}");
    std::process::exit(99);
}

fn parse(text: &str) -> Result<Fault, String> {
    let mut parts = text.splitn(3, ':');
    let (calls, act) = (parts.next().unwrap_or(""), parts.next().ok_or("there is no act")?);
    let log = std::env::var_os("GRIDMILL_FAULT_LOG").map_or(Ok(&NO_LOG), shared)?;
    let mut fault = Fault {
        calls: calls
            .split(',')
            .map(|name| call(name).ok_or(format!("unknown call '{name}'")))
            .collect::<Result<_, _>>()?,
        act: parse_act(act)?,
        path: None,
        nth: 0,
        from: 0,
        every: 0,
        at_byte: None,
        log,
        moved: AtomicU64::new(0),
    };
    for condition in parts.next().into_iter().flat_map(|conditions| conditions.split(',')) {
        let (key, value) = condition.split_once('=').ok_or(format!("'{condition}' has no value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("'{value}' is not a number"));
        match key {
            "path" => fault.path = Some(value.as_bytes().to_vec()),
            "nth" => fault.nth = number()?,
            "from" => fault.from = number()?,
            "every" => fault.every = number()?,
            "at-byte" => fault.at_byte = Some(number()?),
            _ => return Err(format!("unknown condition '{key}'")),
        }
    }
    Ok(fault)
}

fn parse_act(text: &str) -> Result<Act, String> {
    let number = |value: &str| value.parse().map_err(|_| format!("'{value}' is not a number"));
    match text.split_once('=') {
        Some(("short", value)) => Ok(Act::Short(number(value)?)),
        Some(("back", value)) => Ok(Act::Back(number(value)? as i64)),
        None if text == "count" => Ok(Act::Count),
        _ => error_number(text).map(Act::Error).ok_or(format!("unknown act '{text}'")),
    }
}

fn error_number(name: &str) -> Option<c_int> {
    Some(match name {
        "EACCES" => libc::EACCES,
        "EAGAIN" => libc::EAGAIN,
        "ECONNABORTED" => libc::ECONNABORTED,
        "ECONNRESET" => libc::ECONNRESET,
        "EDQUOT" => libc::EDQUOT,
        "EINTR" => libc::EINTR,
        "EINVAL" => libc::EINVAL,
        "EIO" => libc::EIO,
        "EMFILE" => libc::EMFILE,
        "ENFILE" => libc::ENFILE,
        "ENODEV" => libc::ENODEV,
        "ENOMEM" => libc::ENOMEM,
        "ENOSPC" => libc::ENOSPC,
        "ENOSYS" => libc::ENOSYS,
        "EOPNOTSUPP" => libc::EOPNOTSUPP,
        "EPERM" => libc::EPERM,
        "EPIPE" => libc::EPIPE,
        "EROFS" => libc::EROFS,
        "ESTALE" => libc::ESTALE,
        "EXDEV" => libc::EXDEV,
        _ => return None,
    })
}

/// The call with this name. It may not exist on this processor; then it never happens.
fn call(name: &str) -> Option<Call> {
    use Names::{Descriptor, Nothing, Path, Paths};
    let (number, names) = match name {
        "pthread_create" => return Some(Call::NewThread),
        "clock" => return Some(Call::Clock { only_wall: false }),
        "wall-clock" => return Some(Call::Clock { only_wall: true }),
        "read" => (libc::SYS_read, Descriptor(0)),
        "pread64" => (libc::SYS_pread64, Descriptor(0)),
        "readv" => (libc::SYS_readv, Descriptor(0)),
        "write" => (libc::SYS_write, Descriptor(0)),
        "pwrite64" => (libc::SYS_pwrite64, Descriptor(0)),
        "writev" => (libc::SYS_writev, Descriptor(0)),
        "close" => (libc::SYS_close, Descriptor(0)),
        "lseek" => (libc::SYS_lseek, Descriptor(0)),
        "fcntl" => (libc::SYS_fcntl, Descriptor(0)),
        "ioctl" => (libc::SYS_ioctl, Descriptor(0)),
        "fstatfs" => (libc::SYS_fstatfs, Descriptor(0)),
        "fallocate" => (libc::SYS_fallocate, Descriptor(0)),
        "ftruncate" => (libc::SYS_ftruncate, Descriptor(0)),
        "fsync" => (libc::SYS_fsync, Descriptor(0)),
        "fdatasync" => (libc::SYS_fdatasync, Descriptor(0)),
        "fchmod" => (libc::SYS_fchmod, Descriptor(0)),
        "mmap" => (libc::SYS_mmap, Descriptor(4)),
        "madvise" => (libc::SYS_madvise, Nothing),
        "openat" => (libc::SYS_openat, Path(1)),
        "statx" => (libc::SYS_statx, Path(1)),
        "newfstatat" => (libc::SYS_newfstatat, Path(1)),
        "readlinkat" => (libc::SYS_readlinkat, Path(1)),
        "unlinkat" => (libc::SYS_unlinkat, Path(1)),
        "renameat" => (libc::SYS_renameat, Paths(1, 3)),
        "renameat2" => (libc::SYS_renameat2, Paths(1, 3)),
        #[cfg(target_arch = "x86_64")]
        "open" => (libc::SYS_open, Path(0)),
        #[cfg(target_arch = "x86_64")]
        "readlink" => (libc::SYS_readlink, Path(0)),
        #[cfg(target_arch = "x86_64")]
        "unlink" => (libc::SYS_unlink, Path(0)),
        #[cfg(target_arch = "x86_64")]
        "rename" => (libc::SYS_rename, Paths(0, 1)),
        #[cfg(target_arch = "x86_64")]
        "poll" => (libc::SYS_poll, Nothing),
        #[cfg(target_arch = "x86_64")]
        "epoll_wait" => (libc::SYS_epoll_wait, Nothing),
        #[cfg(not(target_arch = "x86_64"))]
        "open" | "readlink" | "unlink" | "rename" | "poll" | "epoll_wait" => (-1, Nothing),
        "ppoll" => (libc::SYS_ppoll, Nothing),
        "epoll_pwait" => (libc::SYS_epoll_pwait, Nothing),
        "epoll_ctl" => (libc::SYS_epoll_ctl, Nothing),
        "epoll_create1" => (libc::SYS_epoll_create1, Nothing),
        "eventfd2" => (libc::SYS_eventfd2, Nothing),
        "socket" => (libc::SYS_socket, Nothing),
        "socketpair" => (libc::SYS_socketpair, Nothing),
        "bind" => (libc::SYS_bind, Nothing),
        "listen" => (libc::SYS_listen, Nothing),
        "getsockname" => (libc::SYS_getsockname, Nothing),
        "setsockopt" => (libc::SYS_setsockopt, Nothing),
        "accept4" => (libc::SYS_accept4, Nothing),
        "recvfrom" => (libc::SYS_recvfrom, Nothing),
        "sendto" => (libc::SYS_sendto, Nothing),
        "sendmsg" => (libc::SYS_sendmsg, Nothing),
        "shutdown" => (libc::SYS_shutdown, Nothing),
        "getrandom" => (libc::SYS_getrandom, Nothing),
        "prlimit64" => (libc::SYS_prlimit64, Nothing),
        "sched_getaffinity" => (libc::SYS_sched_getaffinity, Nothing),
        _ => return None,
    };
    Some(Call::System(number, names))
}

/// Maps the file of the log, so that its numbers outlive the process however it ends.
fn shared(name: OsString) -> Result<&'static [AtomicU64; 2], String> {
    let name =
        std::ffi::CString::new(name.into_vec()).map_err(|_| "the name of the log has a zero".to_owned())?;
    // SAFETY: the name ends in a zero, and the system checks the rest.
    let file = unsafe { libc::open(name.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping, at an address that the system chooses.
    let map = unsafe { libc::mmap(ptr::null_mut(), 16, access, libc::MAP_SHARED, file, 0) };
    if map == libc::MAP_FAILED {
        return Err("the log can't be opened".to_owned());
    }
    // SAFETY: the descriptor is this function's own, and the mapping stays without it.
    unsafe { libc::close(file) };
    // SAFETY: the mapping has 16 bytes, begins at a page, and is never given back; atomic numbers may be shared.
    Ok(unsafe { &*map.cast::<[AtomicU64; 2]>() })
}

/// Makes the system calls with these numbers raise `SIGSYS`, except those of [`forward`]. Returns whether the
/// system allows it.
fn trap(numbers: &[c_long]) -> bool {
    let mut program = filter(numbers);
    let program = sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    // SAFETY: an action of zeros is a valid one: it has no flags and blocks no signal.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_trap as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
    // SAFETY: the handler has the type that SA_SIGINFO asks for, and does nothing but system calls and atomic operations.
    let handled = unsafe { libc::sigaction(libc::SIGSYS, &action, ptr::null_mut()) } == 0;
    // SAFETY: it takes numbers alone, and no memory.
    let kept = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } == 0;
    // SAFETY: the program is alive, and its length is that of the vector.
    let set =
        unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) } == 0;
    handled && kept && set
}

/// The program of the filter.
fn filter(numbers: &[c_long]) -> Vec<sock_filter> {
    use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
    let step = |code: u32, k: u32, jt: u8, jf: u8| sock_filter { code: code as u16, jt, jf, k };
    let load = |place: u32| step(BPF_LD | BPF_W | BPF_ABS, place, 0, 0);
    let skip_unless = |value: u32, skip: u8| step(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
    let end = |verdict: u32| step(BPF_RET | BPF_K, verdict, 0, 0);
    let (pass, trap) = (end(libc::SECCOMP_RET_ALLOW), end(libc::SECCOMP_RET_TRAP));
    // The number of the call is at 0, the address after the call at 8, and the low halves of its arguments
    // begin at 16.
    let argument = |index: u32| load(16 + 8 * index);
    let after = (&raw const gridmill_shim_after).addr() as u64;
    let mut program = vec![
        load(8),
        skip_unless(after as u32, 3),
        load(12),
        skip_unless((after >> 32) as u32, 1),
        pass,
        load(0),
    ];
    for &number in numbers {
        // Calls by which the C library reserves and frees its own memory are passed, because it blocks
        // signals while it makes them.
        let spared = match number {
            libc::SYS_mmap => {
                vec![argument(3), step(BPF_JMP | BPF_JSET | BPF_K, libc::MAP_ANONYMOUS as u32, 0, 1), pass]
            }
            libc::SYS_madvise => vec![argument(2), skip_unless(libc::MADV_DONTNEED as u32, 1), pass],
            _ => Vec::new(),
        };
        program.push(skip_unless(number as u32, spared.len() as u8 + 1));
        program.extend(spared);
        program.push(trap);
    }
    program.push(pass);
    program
}

// SAFETY: the code below has both, of these types.
unsafe extern "C" {
    /// Makes a system call with six arguments. The result is that of the system: an error is a negative
    /// number.
    fn gridmill_shim_call(number: c_long, arguments: *const usize) -> isize;
    /// The address after the call.
    static gridmill_shim_after: u8;
}

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".hidden gridmill_shim_call",
    ".hidden gridmill_shim_after",
    ".globl gridmill_shim_call",
    "gridmill_shim_call:",
    "mov rax, rdi",
    "mov r11, rsi",
    "mov rdi, [r11]",
    "mov rsi, [r11 + 8]",
    "mov rdx, [r11 + 16]",
    "mov r10, [r11 + 24]",
    "mov r8, [r11 + 32]",
    "mov r9, [r11 + 40]",
    "syscall",
    ".globl gridmill_shim_after",
    "gridmill_shim_after:",
    "ret",
);

#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".hidden gridmill_shim_call",
    ".hidden gridmill_shim_after",
    ".globl gridmill_shim_call",
    "gridmill_shim_call:",
    "mov x8, x0",
    "mov x9, x1",
    "ldp x0, x1, [x9]",
    "ldp x2, x3, [x9, #16]",
    "ldp x4, x5, [x9, #32]",
    "svc #0",
    ".globl gridmill_shim_after",
    "gridmill_shim_after:",
    "ret",
);

/// Makes a system call of the program.
fn forward(number: c_long, arguments: &[usize; 6]) -> isize {
    // SAFETY: the program itself made this call; where the arguments were changed, a length or a count became less, or
    // vectors were replaced by one that is alive.
    unsafe { gridmill_shim_call(number, arguments.as_ptr()) }
}

/// Answers a system call in place of the system.
extern "C" fn on_trap(_signal: c_int, _info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system hands over the context of this signal, which no other code uses meanwhile.
    let context = unsafe { &mut *context.cast::<ucontext_t>() };
    let (number, arguments) = registers(context);
    let result = FAULT.get().map_or(-(libc::ENOSYS as isize), |fault| fault.answer(number, arguments));
    set_result(context, result);
}

#[cfg(target_arch = "x86_64")]
fn registers(context: &ucontext_t) -> (c_long, [usize; 6]) {
    use libc::{REG_R8, REG_R9, REG_R10, REG_RAX, REG_RDI, REG_RDX, REG_RSI};
    let all = &context.uc_mcontext.gregs;
    let places = [REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9];
    (all[REG_RAX as usize], places.map(|place| all[place as usize] as usize))
}

#[cfg(target_arch = "x86_64")]
fn set_result(context: &mut ucontext_t, result: isize) {
    context.uc_mcontext.gregs[libc::REG_RAX as usize] = result as i64;
}

#[cfg(target_arch = "aarch64")]
fn registers(context: &ucontext_t) -> (c_long, [usize; 6]) {
    let all = &context.uc_mcontext.regs;
    (all[8] as c_long, std::array::from_fn(|place| all[place] as usize))
}

#[cfg(target_arch = "aarch64")]
fn set_result(context: &mut ucontext_t, result: isize) {
    context.uc_mcontext.regs[0] = result as u64;
}

impl Fault {
    /// The answer to a system call.
    fn answer(&self, number: c_long, arguments: [usize; 6]) -> isize {
        let is_it = |call: &&Call| matches!(call, Call::System(its, _) if *its == number);
        let Some(Call::System(_, names)) = self.calls.iter().find(is_it) else {
            return forward(number, &arguments);
        };
        if !self.is_meant(*names, &arguments) {
            return forward(number, &arguments);
        }
        if let Some(place) = self.at_byte {
            return self.until(place, number, arguments);
        }
        if !self.is_due() {
            return forward(number, &arguments);
        }
        match self.act {
            Act::Error(error) => {
                if number == libc::SYS_close {
                    forward(number, &arguments);
                }
                -(error as isize)
            }
            Act::Short(most) => make_short(number, arguments, most),
            Act::Count | Act::Back(_) => forward(number, &arguments),
        }
    }

    /// Counts a call, and returns whether the fault applies to it.
    fn is_due(&self) -> bool {
        let turn = self.log[0].fetch_add(1, Ordering::Relaxed) + 1;
        let is_due = self.act != Act::Count
            && (self.nth == 0 || turn == self.nth)
            && turn >= self.from
            && (self.every == 0 || scattered(turn).is_multiple_of(self.every));
        self.log[1].fetch_add(u64::from(is_due), Ordering::Relaxed);
        is_due
    }

    /// Transfers bytes up to this place. After it, the act follows.
    fn until(&self, place: u64, number: c_long, arguments: [usize; 6]) -> isize {
        self.log[0].fetch_add(1, Ordering::Relaxed);
        let moved = self.moved.load(Ordering::Relaxed);
        if moved >= place
            && let Act::Error(error) = self.act
        {
            self.log[1].fetch_add(1, Ordering::Relaxed);
            return -(error as isize);
        }
        let count = make_short(number, arguments, place - moved);
        self.moved.fetch_add(count.max(0) as u64, Ordering::Relaxed);
        count
    }

    /// Returns whether a call uses a file with the wanted name.
    fn is_meant(&self, names: Names, arguments: &[usize; 6]) -> bool {
        let Some(wanted) = &self.path else { return true };
        match names {
            Names::Nothing => false,
            Names::Descriptor(place) => is_open_as(arguments[place] as c_int, wanted),
            Names::Path(place) => contains(path_at(arguments[place]), wanted),
            Names::Paths(one, other) => {
                contains(path_at(arguments[one]), wanted) || contains(path_at(arguments[other]), wanted)
            }
        }
    }
}

/// A number that looks random, but is always the same for the same turn.
fn scattered(turn: u64) -> u64 {
    turn.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33
}

/// Makes a call that transfers at most `most` bytes. Calls that transfer no bytes are made as they are.
fn make_short(number: c_long, mut arguments: [usize; 6], most: u64) -> isize {
    let most = most as usize;
    match number {
        libc::SYS_read | libc::SYS_pread64 | libc::SYS_write | libc::SYS_pwrite64 => {
            arguments[2] = arguments[2].min(most);
            forward(number, &arguments)
        }
        libc::SYS_readv | libc::SYS_writev => {
            // SAFETY: the program hands over so many vectors, which stay as they are while it waits for its call.
            let parts = unsafe { std::slice::from_raw_parts(arguments[1] as *const iovec, arguments[2]) };
            if parts.iter().map(|part| part.iov_len).sum::<usize>() <= most {
                return forward(number, &arguments);
            }
            let Some(part) = parts.iter().find(|part| part.iov_len > 0) else { return 0 };
            let part = iovec { iov_base: part.iov_base, iov_len: part.iov_len.min(most) };
            arguments[1] = (&raw const part).addr();
            arguments[2] = 1;
            forward(number, &arguments)
        }
        libc::SYS_recvfrom | libc::SYS_sendto => {
            arguments[2] = arguments[2].min(most);
            forward(number, &arguments)
        }
        _ => forward(number, &arguments),
    }
}

/// The path that an argument points to.
fn path_at<'a>(argument: usize) -> &'a [u8] {
    if argument == 0 {
        return b"";
    }
    // SAFETY: the argument is a path of a system call, which ends in a zero and stays as it is until the call returns.
    unsafe { CStr::from_ptr(argument as *const c_char) }.to_bytes()
}

/// Returns whether the name of an open file contains a text.
fn is_open_as(descriptor: c_int, wanted: &[u8]) -> bool {
    let mut link = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let (mut end, mut rest) = (14, descriptor.max(0));
    let digits = rest.checked_ilog10().unwrap_or(0) as usize + 1;
    for place in (end..end + digits).rev() {
        link[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    end += digits;
    link[end] = 0;
    let mut name = [0; 1024];
    let at = libc::AT_FDCWD as usize;
    let arguments = [at, link.as_ptr().addr(), name.as_mut_ptr().addr(), name.len(), 0, 0];
    // SAFETY: the link ends in a zero, and the name has so many bytes to be written to.
    let length = unsafe { gridmill_shim_call(libc::SYS_readlinkat, arguments.as_ptr()) };
    length > 0 && contains(&name[..length as usize], wanted)
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len().max(1)).any(|part| part == wanted)
}

/// Replaces the function of the C library, so that starting a thread can fail.
///
/// # Safety
///
/// As the function of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pthread_create(
    thread: *mut pthread_t,
    attributes: *const pthread_attr_t,
    begin: extern "C" fn(*mut c_void) -> *mut c_void,
    argument: *mut c_void,
) -> c_int {
    type Create = unsafe extern "C" fn(
        *mut pthread_t,
        *const pthread_attr_t,
        extern "C" fn(*mut c_void) -> *mut c_void,
        *mut c_void,
    ) -> c_int;
    static CREATE: OnceLock<usize> = OnceLock::new();
    let fault = FAULT.get().filter(|fault| fault.calls.contains(&Call::NewThread));
    if let Some(fault) = fault.filter(|fault| fault.is_due())
        && let Act::Error(error) = fault.act
    {
        return error;
    }
    // SAFETY: the name ends in a zero; there is such a function behind this one, in the C library.
    let address =
        CREATE.get_or_init(|| unsafe { libc::dlsym(libc::RTLD_NEXT, c"pthread_create".as_ptr()) }.addr());
    // SAFETY: the C library's function has this type.
    let create: Create = unsafe { std::mem::transmute(*address) };
    // SAFETY: the arguments are the caller's.
    unsafe { create(thread, attributes, begin, argument) }
}

/// Replaces the function of the C library, so that a clock can be set back.
///
/// # Safety
///
/// As the function of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    let arguments = [clock as usize, time.addr(), 0, 0, 0, 0];
    // SAFETY: the arguments are the caller's.
    let result = unsafe { gridmill_shim_call(libc::SYS_clock_gettime, arguments.as_ptr()) };
    let is_meant = |call: &Call| matches!(call, Call::Clock { only_wall } if !only_wall || clock == libc::CLOCK_REALTIME);
    let fault = FAULT.get().filter(|fault| fault.calls.iter().any(is_meant));
    if let Some(fault) = fault
        && let Act::Back(seconds) = fault.act
        && result == 0
        && fault.is_due()
    {
        // SAFETY: the system has just written to it.
        let time = unsafe { &mut *time };
        time.tv_sec = (time.tv_sec - seconds).max(0);
    }
    if result == 0 { 0 } else { -1 }
}
