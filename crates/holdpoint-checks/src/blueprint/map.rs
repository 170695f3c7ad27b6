//! The parts of a system, by their names and places: its domains, and the layers that rules speak of beside them.

mod read;

use holdpoint_core::path;

/// Folders that hold all of a project's code: a module path may begin with them.
const ROOTS: [&str; 13] = [
    "app",
    "apps",
    "bounded_contexts",
    "contexts",
    "domains",
    "internal",
    "lib",
    "libs",
    "modules",
    "packages",
    "pkg",
    "services",
    "src",
];
/// Folders whose folders are domains.
const DOMAIN_ROOTS: [&str; 3] = ["domains", "contexts", "bounded_contexts"];

/// A domain or a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    key: String,
    /// Its places, by their folders. None: any folder or file of its name.
    places: Vec<Vec<String>>,
    is_domain: bool,
}

/// The parts of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Map {
    parts: Vec<Part>,
    /// The words of a document in which no domain could be made out.
    unread: Option<String>,
}

/// The parts that a file or a module belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) domain: Option<String>,
    pub(super) layers: Vec<String>,
}

impl Place {
    pub(super) fn has(&self, key: &str) -> bool {
        self.domain.as_deref() == Some(key) || self.layers.iter().any(|layer| layer == key)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().chain(&self.domain).map(String::as_str)
    }
}

/// Where a module path is to be looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// At the project's folder.
    Project,
    /// At any folder above the place meant, as languages with search paths do.
    Anywhere,
}

impl Map {
    pub(super) fn read(markdown: &str) -> Map {
        read::map(markdown)
    }

    pub(super) fn has_domains(&self) -> bool {
        self.parts.iter().any(|part| part.is_domain)
    }

    /// The domains' names, for messages.
    pub(super) fn domains(&self) -> Vec<&str> {
        self.parts.iter().filter(|part| part.is_domain).map(|part| part.key.as_str()).collect()
    }

    /// Whether a name is that of a domain. Of a map that could not be read, whether it stands in it as a whole.
    pub(super) fn has_domain(&self, name: &str) -> bool {
        let key = key(name);
        let in_text = |text: &String| {
            let name = key.replace('_', " ");
            let is_end = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
            text.match_indices(&name).any(|(start, _)| {
                is_end(text[..start].chars().last()) && is_end(text[start + name.len()..].chars().next())
            })
        };
        !key.is_empty()
            && (self.parts.iter().any(|part| part.is_domain && part.key == key)
                || self.unread.as_ref().is_some_and(in_text))
    }

    /// Whether a name is that of any part.
    pub(super) fn has_part(&self, key: &str) -> bool {
        self.parts.iter().any(|part| part.key == key)
    }

    /// Adds a layer that a rule speaks of.
    pub(super) fn add_layer(&mut self, key: &str) {
        if !self.has_part(key) {
            self.parts.push(Part { key: key.to_owned(), places: Vec::new(), is_domain: false });
        }
    }

    /// The parts of a file, by its path in the project.
    pub(super) fn of_file(&self, file: &str) -> Place {
        self.place(&segments(file), From::Project)
    }

    /// The parts of what a module of `file` imports by a path that does not start at the project's folder. Paths that
    /// begin with nothing the project has are others' packages.
    pub(super) fn of_module(&self, module: &[String], file: &str) -> Place {
        let Some(first) = module.first() else { return Place::default() };
        let folders = segments(file);
        let is_ours = folders[..folders.len().saturating_sub(1)].contains(first)
            || ROOTS.contains(&first.as_str())
            || self.parts.iter().any(|part| match part.places[..] {
                [] => part.key == *first,
                _ => part.places.iter().any(|place| reach(place, module, From::Anywhere).is_some()),
            });
        if is_ours { self.place(module, From::Anywhere) } else { Place::default() }
    }

    /// The name of the folder that should be a domain's and is not, if the file lies in one.
    pub(super) fn stray(&self, file: &str) -> Option<String> {
        let segments = segments(file);
        let folders = &segments[..segments.len().saturating_sub(1)];
        let of_root = |root: &[String]| folders.get(root.len()).filter(|_| folders.starts_with(root));
        let conventional = folders.iter().position(|folder| DOMAIN_ROOTS.contains(&folder.as_str()));
        let roots = self.roots();
        let named = roots.iter().find_map(|root| of_root(root));
        let name = named.or_else(|| folders.get(conventional? + 1))?;
        (self.place(&segments, From::Project).domain.is_none() && !self.has_part(name)).then(|| name.clone())
    }

    /// Folders that hold the folders of two domains or more.
    fn roots(&self) -> Vec<Vec<String>> {
        let domains = self.parts.iter().filter(|part| part.is_domain);
        let parent = |part: &Part| part.places.first().map(|place| place[..place.len() - 1].to_vec());
        let parents: Vec<Vec<String>> = domains.filter_map(parent).filter(|root| !root.is_empty()).collect();
        let shared = |root: &&Vec<String>| parents.iter().filter(|other| other == root).count() > 1;
        parents.iter().filter(shared).cloned().collect()
    }

    fn place(&self, segments: &[String], from: From) -> Place {
        let domain = self.domain(segments, from);
        let end = domain.map_or(segments.len(), |(_, end)| end);
        let layers = |from_place: usize, to: usize| {
            let layers = self.parts.iter().filter(|part| !part.is_domain);
            let within =
                |part: &&Part| found(part, segments, from).is_some_and(|at| (from_place..to).contains(&at));
            layers.filter(within).map(|part| part.key.clone()).collect::<Vec<_>>()
        };
        // A layer inside a domain counts only where none is around it: `domains/billing/shared` is billing's own.
        let around = layers(0, end.max(1));
        let layers = if around.is_empty() { layers(end, usize::MAX) } else { around };
        Place { domain: domain.map(|(part, _)| part.key.clone()), layers }
    }

    /// The domain that a path lies in, and where in the path its folder is: the closest place that the map names,
    /// else the first folder of a domain's name.
    fn domain(&self, segments: &[String], from: From) -> Option<(&Part, usize)> {
        let domains = || self.parts.iter().filter(|part| part.is_domain);
        let at = |part: &&Part| found(part, segments, from);
        let named =
            domains().filter(|part| !part.places.is_empty()).filter_map(|part| Some((part, at(&part)?)));
        let by_name =
            || domains().filter(|part| part.places.is_empty()).filter_map(|part| Some((part, at(&part)?)));
        named.max_by_key(|(_, at)| *at).or_else(|| by_name().min_by_key(|(_, at)| *at))
    }
}

/// Where in a path a part's own folder is.
fn found(part: &Part, segments: &[String], from: From) -> Option<usize> {
    if part.places.is_empty() {
        return segments.iter().position(|segment| *segment == part.key);
    }
    part.places.iter().filter_map(|place| reach(place, segments, from)).max()
}

/// Where a path leaves a place that it lies in, as the last of the place's folders.
fn reach(place: &[String], segments: &[String], from: From) -> Option<usize> {
    let fits = |place: &[String]| {
        let same = |(folder, segment): (&String, &String)| folder == "*" || folder == segment;
        !place.is_empty() && place.len() <= segments.len() && place.iter().zip(segments).all(same)
    };
    let starts = if from == From::Project { 1 } else { place.len() };
    (0..starts)
        .map(|start| &place[start.min(place.len())..])
        .find(|place| fits(place))
        .map(|place| place.len() - 1)
}

/// A name as names are compared: `User Profile`, `user-profile` and `user_profile` are one.
pub(super) fn key(name: &str) -> String {
    let lower = name.trim().trim_matches(['`', '*', '"', '\'', ':', '/']).trim().to_lowercase();
    let short =
        [" bounded context", " context", " domain"].into_iter().find_map(|end| lower.strip_suffix(end));
    short.unwrap_or(&lower).replace([' ', '-'], "_")
}

/// A text as whole names are looked for in it.
fn searched(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '_')).collect();
    words.join(" ").to_lowercase()
}

/// A path by its folders, and the file without its ending, as names are compared.
pub(super) fn segments(file: &str) -> Vec<String> {
    let tidy = path::tidy(file);
    let same = |part: &str| part.to_lowercase().replace([' ', '-'], "_");
    let mut segments: Vec<String> = tidy.split('/').filter(|part| !part.is_empty()).map(same).collect();
    let known = |ending: &str| crate::source::Language::of(&format!("a.{ending}")).is_some();
    if let Some(last) = segments.last_mut()
        && let Some((stem, _)) =
            last.rsplit_once('.').filter(|(stem, ending)| !stem.is_empty() && known(ending))
    {
        *last = stem.to_owned();
    }
    segments
}
