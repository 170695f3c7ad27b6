//! A lying agent: every way around a workflow that we know of, by its mechanism, each in several spellings and in a
//! repository of its own. First the agent's hook events are sent, as its client would; then the act itself is done, as if
//! no hook had been there. The table of them is docs/reference/cheats.md.

mod act;
mod autopilot;
mod claudex;
mod honest;
mod isdlc;
mod mechanism;
mod outcome;
mod stage;
mod table;
mod taskie;

pub(crate) use act::Act;
pub(crate) use mechanism::Mechanism;
pub(crate) use outcome::After;
pub(crate) use stage::Stage;

/// One spelling of a way to cheat.
pub(crate) struct Cheat {
    pub(crate) mechanism: Mechanism,
    /// What the agent does, for the table.
    pub(crate) name: &'static str,
    pub(crate) at: Stage,
    pub(crate) acts: &'static [Act],
    /// The rule that holds it; empty: no hook knows of it.
    pub(crate) before: &'static str,
    /// What comes of it where no hook has held it.
    pub(crate) after: After,
}

/// The spellings of one mechanism: a test for each, and the list of all.
macro_rules! cheats {
    ($mechanism:ident; $($test:ident: $name:literal, $at:ident, [$($act:expr),* $(,)?], $before:literal, $after:expr;)*) => {
        use $crate::cheats::{Act::*, After::*, Cheat, Mechanism, Stage};
        pub(crate) const ALL: &[Cheat] = &[$(Cheat {
            mechanism: Mechanism::$mechanism,
            name: $name,
            at: Stage::$at,
            acts: &[$($act),*],
            before: $before,
            after: $after,
        }),*];
        $(#[test]
        fn $test() {
            $crate::cheats::try_out(ALL.iter().find(|cheat| cheat.name == $name).unwrap());
        })*
    };
}
pub(crate) use cheats;

/// The cheat is tried, and comes out as the table says.
pub(crate) fn try_out(tried: &Cheat) {
    let site = stage::prepared(tried.at);
    let began = outcome::Began::of(&site);
    site.has_client();
    let (rule, said) = act::cheat(&site, tried.acts);
    assert_eq!(rule, tried.before, "{}: what holds it; it said: {said}", tried.name);
    outcome::comes_out(&site, tried, &began, &said);
}
