//! The features of a processor that backends need.

use super::Backend;

/// Returns the features that a backend needs and this processor lacks, by the names that the compiler has for them.
#[cfg(target_arch = "x86_64")]
pub(super) fn lacking(backend: Backend) -> Vec<&'static str> {
    macro_rules! lacking {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
                .into_iter()
                .filter_map(|(name, is_there)| (!is_there).then_some(name))
        };
    }
    let avx2 = lacking!("avx2" "bmi1" "bmi2" "lzcnt" "popcnt");
    let base = lacking!("avx512f" "avx512bw" "avx512vl");
    let more = lacking!("avx512vbmi2" "avx512bitalg" "avx512vpopcntdq");
    match backend {
        Backend::Avx512 => avx2.chain(base).chain(more).collect(),
        Backend::Avx512Base => avx2.chain(base).collect(),
        Backend::Avx2 => avx2.collect(),
        Backend::Portable => Vec::new(),
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn lacking(backend: Backend) -> Vec<&'static str> {
    match backend {
        Backend::Portable => Vec::new(),
        _ => vec!["x86-64"],
    }
}
