//! What answering an event leaves behind. The hook's process ends right after its answer, and freeing all of this piece by
//! piece would cost more than reading the event did.

use std::any::Any;
use std::cell::RefCell;

/// Values that are freed with the call they belong to, or not at all. Only data: a lock or a temporary file is let go of
/// where it is no longer needed.
#[derive(Default)]
pub struct Leftovers(RefCell<Vec<Box<dyn Any>>>);

impl Leftovers {
    pub(super) fn keep(&self, what: impl Any) {
        self.0.borrow_mut().push(Box::new(what));
    }
}
