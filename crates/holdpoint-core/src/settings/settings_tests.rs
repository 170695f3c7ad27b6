use super::*;

const ETC: &str = "/etc/holdpoint/holdpoint.toml";

/// The settings that count, and what is wrong, of an organisation, a user and a project.
fn merged(texts: [&str; 3]) -> (Effective, Vec<String>) {
    let layers = [(Layer::Organisation, ETC), (Layer::User, "user"), (Layer::Project, "project")];
    let parsed: Vec<_> =
        layers.iter().zip(texts).map(|((layer, file), text)| parse(*layer, file, text)).collect();
    let said: Vec<Said<'_>> = layers
        .iter()
        .zip(&parsed)
        .map(|((layer, file), parsed)| Said { layer: *layer, file, settings: &parsed.settings })
        .collect();
    let (effective, refused) = Effective::of(&said);
    let problems = parsed.iter().flat_map(|parsed| &parsed.problems).chain(&refused);
    let line = |one: &crate::diagnostic::Diagnostic| {
        format!("{}: {} ({})", one.file, one.message, one.hint.as_deref().unwrap_or_default())
    };
    (effective, problems.map(line).collect())
}

fn passed(effective: &Effective) -> Vec<&str> {
    effective.programs.pass.iter().map(AsRef::as_ref).collect()
}

#[test]
fn a_locked_list_is_not_changed_in_any_spelling() {
    let above = "workflows = [\"house\"]\nlock = [\"workflows\"]\n";
    let (wanted, none) = merged([above, "", ""]);
    assert!(none.is_empty() && wanted.enables("house") && !wanted.enables("mine"));
    for text in [
        "workflows = []",
        "workflows = [\"mine\"]",
        "\"workflows\" = [\"mine\"]",
        "'workflows' = ['mine']",
        "\"work\\u0066lows\" = [\"mine\"]",
        "require = [\"mine\"]",
        "lock = []\nworkflows = [\"mine\"]",
        "lock = [\"workflows\"]\nworkflows = [\"mine\"]",
    ] {
        let (effective, problems) = merged([above, text, ""]);
        assert!(effective.enables("house") && !effective.enables("mine"), "{text}");
        let told = "user: `workflows` is locked by the organisation, so this is not used (leave it out: \
                    /etc/holdpoint/holdpoint.toml has lock = [\"workflows\"])";
        assert_eq!(problems, [told], "{text}");
        let (effective, problems) = merged([above, "", text]);
        assert!(effective.enables("house") && !effective.enables("mine"), "{text}");
        assert!(!problems.is_empty() && problems[0].starts_with("project: "), "{text}: {problems:?}");
    }
}

#[test]
fn locked_programs_and_reviewers_are_not_changed_in_any_spelling() {
    for lock in ["programs", "programs.pass"] {
        let above = format!("lock = [\"{lock}\"]\n[programs]\npass = [\"A\"]\n");
        for text in [
            "[programs]\npass = [\"B\"]",
            "programs.pass = [\"B\"]",
            "programs = { pass = [\"B\"] }",
            "\"programs\".'pass' = [\"B\"]",
            "programs = { \"pass\" = [] }",
        ] {
            let (effective, problems) = merged([&above, "", text]);
            assert_eq!(passed(&effective), ["A"], "{lock}: {text}");
            assert!(problems[0].starts_with("project: `programs.pass` is locked by the organisation"));
        }
    }
    let choice = |effective: &Effective| effective.reviewers.iter().map(|one| one.instead.clone()).collect();
    for lock in ["reviewers", "reviewers.flow", "reviewers.flow.quick"] {
        let above = format!("lock = [\"{lock}\"]\nreviewers.flow.quick = \"careful\"\n");
        for text in [
            "[reviewers.flow]\nquick = \"none\"",
            "reviewers = { flow = { quick = \"none\" } }",
            "reviewers.\"flow\".quick = \"none\"",
        ] {
            let (effective, problems) = merged(["", &above, text]);
            let chosen: Vec<String> = choice(&effective);
            assert_eq!(chosen, ["careful"], "{lock}: {text}");
            assert!(problems[0].starts_with("project: `reviewers.flow.quick` is locked by the user"));
        }
    }
    let (effective, problems) = merged([
        "lock = [\"programs.pass\", \"reviewers.a\"]",
        "",
        "programs.writes = [\"/srv\"]\nreviewers.ab.x = \"y\"",
    ]);
    assert_eq!((effective.programs.writes.len(), effective.reviewers.len()), (1, 1), "these are not locked");
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn what_is_required_stays_enabled_and_is_not_replaced() {
    let above = "require = [\"house\"]\n";
    for text in ["workflows = []", "workflows = [\"mine\"]"] {
        for layers in [[above, text, ""], [above, "", text], ["", above, text]] {
            let (effective, problems) = merged(layers);
            assert!(effective.enables("house"), "{layers:?}");
            assert!(problems[0].contains("`house` stays enabled: the "), "{problems:?}");
        }
    }
    let (effective, _) = merged([above, "", ""]);
    for layer in [Layer::User, Layer::Project] {
        let bar = effective.bar(layer, "house", |_| true).unwrap();
        assert_eq!((bar.by, bar.key.as_str()), (Layer::Organisation, "require = [\"house\"]"));
        assert_eq!(effective.bar(layer, "mine", |_| false), None);
    }
    assert_eq!(effective.bar(Layer::Organisation, "house", |_| true), None, "it is the organisation's");
}

#[test]
fn own_workflows_once_switched_off_stay_off() {
    let (effective, problems) =
        merged(["own_workflows = false", "own_workflows = true", "own_workflows = true"]);
    assert!(effective.bar(Layer::User, "mine", |_| false).is_some());
    assert!(effective.bar(Layer::Project, "mine", |_| false).is_some());
    assert_eq!(effective.bar(Layer::Organisation, "house", |_| true), None);
    assert_eq!(
        problems,
        [
            "project: `own_workflows` has no effect in a project's holdpoint.toml (leave it out: there is no layer \
             below a project)",
            "user: own workflows are switched off by the organisation, so this is not used (leave it out: \
             /etc/holdpoint/holdpoint.toml has own_workflows = false)",
        ]
    );
    let (effective, _) = merged(["", "own_workflows = false", ""]);
    assert_eq!(effective.bar(Layer::User, "mine", |_| true), None);
    assert!(effective.bar(Layer::Project, "mine", |_| false).is_some());
}

/// Whoever locks the list means the workflows in it.
#[test]
fn a_locked_bench_is_not_left() {
    let folders = |effective: &Effective| {
        let folders = &effective.bench.folders;
        folders.own.iter().chain(folders.lend.iter()).map(ToString::to_string).collect::<Vec<_>>()
    };
    let below = "[bench]\nprove = \"in-place\"\nlend = [\".env\", \"target\"]\n";
    let (effective, problems) = merged(["bench.own = [\"made\"]\n", "", below]);
    assert_eq!(folders(&effective), ["made", ".env"], "they add up, and what a build writes is not lent");
    assert_eq!(effective.bench.prove, Some(crate::workflow::bench::Prove::InPlace));
    assert!(problems[0].starts_with("project: `target` is what a build writes"), "{problems:?}");
    let above = "lock = [\"bench\"]\n[bench]\nown = [\"made\"]\n";
    for text in [below, "bench.prove = \"in-place\"", "bench = { lend = [\".env\"] }"] {
        let (effective, problems) = merged([above, "", text]);
        assert_eq!((folders(&effective), effective.bench.prove), (vec!["made".to_owned()], None), "{text}");
        let is_told = |one: &String| one.starts_with("project: `bench` is locked by the organisation");
        assert!(problems.iter().any(is_told), "{text}: {problems:?}");
    }
}

#[test]
fn a_locked_list_keeps_its_workflows_from_being_replaced() {
    let (effective, _) = merged(["lock = [\"workflows\"]", "", ""]);
    assert!(effective.bar(Layer::Project, "house", |_| true).is_some());
    assert_eq!(effective.bar(Layer::Project, "mine", |_| false), None);
    let (effective, _) = merged(["", "lock = [\"workflows\"]", ""]);
    assert_eq!(effective.bar(Layer::User, "house", |_| true), None, "it binds those below");
}

#[test]
fn the_nearest_layer_says_what_is_not_locked() {
    let (effective, problems) = merged([
        "workflows = [\"a\"]\nprograms.pass = [\"A\"]\nreviewers.f.x = \"one\"\nreviewers.f.y = \"one\"",
        "workflows = [\"b\"]\nprograms.pass = [\"B\"]\nreviewers.f.x = \"two\"",
        "workflows = [\"c\"]\nprograms.pass = [\"C\"]\nreviewers.g.x = \"three\"",
    ]);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(["a", "b", "c"].map(|name| effective.enables(name)), [false, false, true]);
    assert_eq!(passed(&effective), ["A", "B", "C"], "programs get what each layer gives them");
    let chosen: Vec<&str> = effective.reviewers.iter().map(|one| one.instead.as_str()).collect();
    assert_eq!(chosen, ["one", "two", "three"]);
}

#[test]
fn a_mistake_is_told_at_its_place_and_the_rest_counts() {
    let text = "\
lock = [\"workflows\", \"programs.passes\", \"require\", \"workflows.house\", \"zzz\", 5]
requires = [\"house\"]
require = [\"house\", 7]
own_workflows = \"no\"
programs.pass = [\"GOOD\", \"LD_PRELOAD\"]
reviewers.flow.quick = 1
";
    let parsed = parse(Layer::Organisation, ETC, text);
    let told: Vec<String> = parsed
        .problems
        .iter()
        .map(|one| {
            let (line, column) = one.position(text);
            format!("{line}:{column} {} ({})", one.message, one.hint.as_deref().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        told,
        [
            "1:22 `programs.passes` cannot be locked (did you mean `programs.pass`?)",
            "1:41 `require` cannot be locked (leave it out: no layer below can take back what `require` says)",
            "1:52 `workflows.house` cannot be locked (write require = [\"house\"])",
            "1:71 `zzz` cannot be locked (these can be locked: `workflows`, `programs`, `programs.pass`, \
             `programs.writes`, `bench` and `reviewers`)",
            "1:78 `lock` must be a list of names (write lock = [\"name\"])",
            "2:1 unknown key `requires` in holdpoint.toml (did you mean `require`?)",
            "3:21 `require` must be a list of names (write require = [\"name\"])",
            "4:17 `own_workflows` must be true or false ()",
            "5:26 `LD_PRELOAD` is never passed on: it can change what a program runs (set it in the command line, \
             where it is seen: [\"env\", \"LD_PRELOAD=…\", …])",
            "6:24 `reviewers.flow.quick` must be the name of a reviewer ()",
        ]
    );
    let settings = parsed.settings;
    assert_eq!((settings.lock.len(), settings.require.len(), settings.own_workflows), (1, 1, None));
    assert_eq!(settings.pass.unwrap().value, ["GOOD"]);
}

#[test]
fn half_a_list_of_workflows_is_no_list() {
    let parsed = parse(Layer::Project, "project", "workflows = [\"a\", 1]");
    assert_eq!(parsed.settings.workflows, None);
    assert_eq!(parsed.problems.len(), 1);
    assert_eq!(parse(Layer::Project, "project", "][").problems.len(), 1);
    assert_eq!(parse(Layer::Project, "project", "").settings, Settings::default());
}
