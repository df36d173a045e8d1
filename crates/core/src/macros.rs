//! Macros that the whole crate uses.

/// Computes a table at compile time, e.g. `table!(9, digit => 1 << digit)`. It loops by hand, because a
/// `const` expression cannot use iterators.
macro_rules! table {
    ($count:expr, $index:ident => $value:expr) => {{
        let mut $index: usize = 0;
        let mut table = [$value; $count];
        while $index < $count {
            table[$index] = $value;
            $index += 1;
        }
        table
    }};
}

/// Defines an enum whose variants have names, e.g. `Minlex = "minlex"`, because options, columns and files
/// write a variant by its name. `ALL` lists the variants, `name` gives the name of one, and `Display` writes
/// it.
macro_rules! named {
    ($(#[$of_type:meta])* pub enum $type:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$of_type])*
        pub enum $type {
            $($(#[$of_variant])* $variant,)+
        }

        impl $type {
            /// Every variant.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$variant),+];

            /// The name that options and rows use for the variant.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
