//! The features of the processor. No other code asks for them.
//!
//! You can hide features with the environment variable `GRIDMILL_CPU`, so that code runs as on a machine
//! without them, e.g. in tests. The variable never adds a feature, because code that uses a missing one would
//! crash.

use std::env;

use super::Backend;
#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::Features;

/// The environment variable that hides features.
const VARIABLE: &str = "GRIDMILL_CPU";

/// `GRIDMILL_CPU` does not name a backend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{VARIABLE} is '{value}': choose avx512, avx512-base, avx2 or portable")]
pub struct UnknownBackend {
    /// The value of the variable.
    pub value: String,
}

impl Backend {
    /// The best backend that `GRIDMILL_CPU` allows, regardless of whether this processor has it:
    /// [`Backend::Avx512`] if the variable is empty or not set.
    ///
    /// # Errors
    ///
    /// [`UnknownBackend`] if the variable does not name a backend. In that case no feature is hidden.
    pub fn allowed() -> Result<Backend, UnknownBackend> {
        let value = env::var_os(VARIABLE).unwrap_or_default();
        let value = value.to_string_lossy();
        let by_name = || Backend::ALL.into_iter().find(|backend| backend.name() == value);
        match value.is_empty() {
            true => Ok(Backend::Avx512),
            false => by_name().ok_or_else(|| UnknownBackend { value: value.into_owned() }),
        }
    }

    /// Lists the features that the backend needs and this processor lacks, by the names that Rust has for
    /// them, e.g. `avx512vbmi2`.
    ///
    /// ```
    /// use gridmill_core::simd::Backend;
    ///
    /// assert!(Backend::best().lacking().is_empty());
    /// assert!(Backend::ALL.into_iter().all(|backend| backend.is_available() == backend.lacking().is_empty()));
    /// ```
    #[must_use]
    pub fn lacking(self) -> Vec<&'static str> {
        #[cfg(target_arch = "x86_64")]
        {
            Features::needed_by(self).lacking()
        }
        #[cfg(not(target_arch = "x86_64"))]
        if self == Backend::Portable { Vec::new() } else { vec!["x86-64"] }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::sync::LazyLock;

    use super::Backend;

    /// A set of features.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::simd) struct Features(u16);

    macro_rules! features {
        ($($bit:literal $feature:ident $name:tt;)*) => {
            impl Features {
                $(pub(in crate::simd) const $feature: Features = Features(1 << $bit);)*
            }

            /// Every feature that code here is compiled for, by the name that the compiler has for it.
            const NAMES: &[(Features, &str)] = &[$((Features::$feature, $name)),*];

            /// Asks the processor.
            fn detect() -> Features {
                Features(0 $(| u16::from(is_x86_feature_detected!($name)) << $bit)*)
            }
        };
    }

    // The list is in the order of the backends that need the features, so that the features of a backend are
    // those up to one of them.
    features! {
        0 AVX2 "avx2";
        1 BMI1 "bmi1";
        2 BMI2 "bmi2";
        3 LZCNT "lzcnt";
        4 POPCNT "popcnt";
        5 AVX512F "avx512f";
        6 AVX512BW "avx512bw";
        7 AVX512VL "avx512vl";
        8 AVX512VBMI2 "avx512vbmi2";
        9 AVX512BITALG "avx512bitalg";
        10 AVX512VPOPCNTDQ "avx512vpopcntdq";
        11 AVX512VBMI "avx512vbmi";
    }

    impl Features {
        /// The union of two sets.
        pub(in crate::simd) const fn with(self, other: Features) -> Features {
            Features(self.0 | other.0)
        }

        /// The feature and all before it in the list.
        const fn and_before(self) -> Features {
            Features(2 * self.0 - 1)
        }

        /// The features that a backend needs.
        pub(in crate::simd) const fn needed_by(backend: Backend) -> Features {
            match backend {
                Backend::Avx512 => Features::AVX512VPOPCNTDQ.and_before(),
                Backend::Avx512Base => Features::AVX512VL.and_before(),
                Backend::Avx2 => Features::POPCNT.and_before(),
                Backend::Portable => Features(0),
            }
        }

        /// Hides what the best allowed backend does not need. For the best backend of all it hides nothing, because the
        /// check of solutions uses VBMI too.
        fn up_to(self, best: Backend) -> Features {
            match best {
                Backend::Avx512 => self,
                _ => Features(self.0 & Features::needed_by(best).0),
            }
        }

        /// Checks whether the processor has all of these features and none of them is hidden. This is cheap
        /// (two loads), because the processor and the environment are asked only once.
        #[inline]
        pub(in crate::simd) fn are_available(self) -> bool {
            static AVAILABLE: LazyLock<Features> =
                LazyLock::new(|| detect().up_to(Backend::allowed().unwrap_or(Backend::Avx512)));
            self.0 & !AVAILABLE.0 == 0
        }

        /// The names of the features that the processor lacks, or that are hidden.
        pub(super) fn lacking(self) -> Vec<&'static str> {
            let lacks = |feature: Features| self.0 & feature.0 != 0 && !feature.are_available();
            NAMES.iter().filter(|(feature, _)| lacks(*feature)).map(|(_, name)| *name).collect()
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn hiding_features_keeps_those_of_the_backend_and_adds_none() {
            let all = NAMES.iter().fold(Features(0), |all, (feature, _)| all.with(*feature));
            assert_eq!(all.up_to(Backend::Avx512), all);
            for best in [Backend::Avx512Base, Backend::Avx2, Backend::Portable] {
                assert_eq!(all.up_to(best), Features::needed_by(best));
                assert_eq!(Features(0).up_to(best), Features(0));
                assert_eq!(Features::AVX512VBMI.up_to(best), Features(0));
            }
            let for_avx2 = Features::needed_by(Backend::Avx2);
            assert_eq!(for_avx2.up_to(Backend::Avx512), for_avx2);
        }

        #[test]
        fn features_match_the_processor() {
            assert_eq!(Features(0).lacking(), [""; 0]);
            for (feature, name) in NAMES {
                let is_there = feature.are_available();
                assert_eq!(feature.lacking(), if is_there { vec![] } else { vec![*name] });
                assert!(!is_there || detect().0 & feature.0 != 0, "{name}");
            }
        }
    }
}
