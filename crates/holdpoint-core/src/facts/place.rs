//! Where a path is: as it is spelled, and where links lead from there.

use super::Facts;
use crate::world::World;

/// The places that an absolute path may mean, from the project's folder; what is outside of it stays absolute. A file that
/// is reached through a link is written at both: rules look at each.
pub(super) fn places(world: &dyn World, home: &str, path: &str) -> Vec<String> {
    let short = |home: &str, path: &str| match crate::path::below(home, path) {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => path.to_owned(),
    };
    let mut places = vec![short(home, path)];
    if let Some(real) = world.real(path) {
        let real = short(&world.real(home).unwrap_or_else(|| home.to_owned()), &real);
        if real != places[0] {
            places.push(real);
        }
    }
    places
}

impl Facts {
    /// The places that an absolute path may mean.
    pub(crate) fn places(&self, path: &str) -> Vec<String> {
        places(self.world.as_ref(), &self.home, path)
    }
}
