//! Evaluates one expression or template within a budget. MiniJinja counts steps, but a step may copy a text or compare
//! two lists of any size; such instructions are replaced by filters that count their work.

mod plain;

use minijinja::machinery::{
    CodeGenerator, Instruction, Instructions, eval, make_string_output, parse, parse_expr,
};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Error, ErrorKind};

use crate::budget::{Budget, STEPS_MAX, VALUE_MAX};
use crate::facts::FactError;
use crate::filters::{Environments, FILTERS, TESTS};

/// The longest expression: MiniJinja follows a chain of operators by recursion.
const EXPRESSION_MAX: usize = 16 * 1024;
/// The longest template.
const TEMPLATE_MAX: usize = 1024 * 1024;
/// The filters that apply another filter or test, by its name.
const APPLYING: [&str; 5] = ["map", "reject", "rejectattr", "select", "selectattr"];
/// Has MiniJinja look up a filter each time it is applied.
const NOT_CACHED: u8 = !0;

/// The value of an expression.
pub(crate) fn value(
    env: &Environments,
    budget: &Budget,
    source: &str,
    context: Value,
) -> Result<Value, FactError> {
    budget.check()?;
    match plain::value(budget, source, &context).or_else(|| plain::refuted(budget, source, &context)) {
        Some(value) => Ok(value),
        None => compiled_value(env, budget, source, context),
    }
}

/// The text of a template.
pub(crate) fn text(
    env: &Environments,
    budget: &Budget,
    source: &str,
    context: Value,
) -> Result<String, FactError> {
    budget.check()?;
    match plain::text(budget, source, &context) {
        Some(text) => Ok(text),
        None => compiled_text(env, budget, source, context),
    }
}

fn compiled_value(
    env: &Environments,
    budget: &Budget,
    source: &str,
    context: Value,
) -> Result<Value, FactError> {
    within_limits(source, false)?;
    let expression = parse_expr(source)?;
    let mut generator = CodeGenerator::new("<expression>", source);
    generator.compile_expr(&expression);
    let (value, _) = run(env, budget, generator, context)?;
    Ok(value.unwrap_or_default())
}

fn compiled_text(
    env: &Environments,
    budget: &Budget,
    source: &str,
    context: Value,
) -> Result<String, FactError> {
    within_limits(source, true)?;
    let template = parse(source, "<text>", SyntaxConfig::default())?;
    let mut generator = CodeGenerator::new("<text>", source);
    generator.compile_stmt(&template);
    let (_, text) = run(env, budget, generator, context)?;
    if text.len() > VALUE_MAX { Err(FactError::TooLarge(VALUE_MAX)) } else { Ok(text) }
}

fn run(
    env: &Environments,
    budget: &Budget,
    generator: CodeGenerator<'_>,
    context: Value,
) -> Result<(Option<Value>, String), FactError> {
    let (instructions, blocks) = generator.finish();
    let instructions = metered(instructions)?;
    let some = env.having(blocks.is_empty().then(|| applied(&instructions)));
    let all;
    let mut text = String::new();
    let run = |env, context, text: &mut String| -> Result<_, Error> {
        eval(env, &instructions, context, &blocks, &mut make_string_output(text), AutoEscape::None)
    };
    let mut done = run(&some, context.clone(), &mut text);
    // A filter may name another one by something that is worked out.
    if done.as_ref().is_err_and(is_unknown) {
        (all, text) = (env.having(None), String::new());
        done = run(&all, context, &mut text);
    }
    let steps = match &done {
        Ok((_, state)) => state.fuel_levels().map(|(consumed, _)| consumed),
        Err(error) if error.kind() == ErrorKind::OutOfFuel => Some(STEPS_MAX),
        Err(_) => None,
    };
    budget.step(steps);
    let value = done?.0;
    Ok((value, text))
}

/// Refuses a source that would take long to parse and compile.
pub(crate) fn within_limits(source: &str, is_template: bool) -> Result<(), FactError> {
    let most = if is_template { TEMPLATE_MAX } else { EXPRESSION_MAX };
    if source.len() > most || (source.len() > EXPRESSION_MAX && longest_block(source) > EXPRESSION_MAX) {
        return Err(FactError::TooLarge(most));
    }
    // Constants are folded while compiling, where nothing counts the work.
    if source.contains('*') && crate::expression::repeats_constants(source, is_template) {
        return Err(FactError::TooLarge(VALUE_MAX));
    }
    Ok(())
}

/// The length of the longest `{{ … }}` or `{% … %}` of a template.
fn longest_block(source: &str) -> usize {
    let after = |opened: &str| opened.find("}}").into_iter().chain(opened.find("%}")).min();
    let blocks = source.match_indices('{').filter(|(at, _)| source[at + 1..].starts_with(['{', '%']));
    blocks.map(|(at, _)| after(&source[at..]).unwrap_or(source.len() - at)).max().unwrap_or(0)
}

/// Replaces the instructions whose work depends on their values.
fn metered(mut instructions: Instructions<'_>) -> Result<Instructions<'_>, FactError> {
    let targets: Vec<u32> = all(&instructions).filter_map(aim).collect();
    let mut is_constant = false;
    let mut has_loop = false;
    let mut at = 0;
    while let Some(instruction) = instructions.get_mut(at) {
        has_loop |= matches!(instruction, Instruction::PushLoop(_));
        let is_bounded = is_constant && !targets.contains(&at);
        is_constant = matches!(instruction, Instruction::LoadConst(_));
        if let Some(counted) = counted(instruction, is_bounded)? {
            *instruction = counted;
        }
        at += 1;
    }
    Ok(if has_loop { with_counted_texts(&instructions) } else { instructions })
}

fn is_applied(name: &str) -> bool {
    FILTERS.contains(&name) || TESTS.contains(&name)
}

fn is_unknown(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::UnknownFilter | ErrorKind::UnknownTest)
}

/// The filters and tests that are applied, by a filter such as `select` too, each once, in order.
fn applied<'b>(instructions: &'b Instructions<'_>) -> Vec<&'b str> {
    let name = |instruction: &'b Instruction<'_>| match instruction {
        Instruction::ApplyFilter(name, ..) | Instruction::PerformTest(name, ..) => Some(*name),
        _ => None,
    };
    let mentioned = |instruction: &'b Instruction<'_>| match instruction {
        Instruction::LoadConst(value) => value.as_str().filter(|name| is_applied(name)),
        _ => None,
    };
    let mut names: Vec<&str> = all(instructions).filter_map(name).collect();
    if names.iter().any(|name| APPLYING.contains(name)) {
        names.extend(all(instructions).filter_map(mentioned));
    }
    names.sort_unstable();
    names.dedup();
    names
}

fn all<'a, 'b>(instructions: &'b Instructions<'a>) -> impl Iterator<Item = &'b Instruction<'a>> {
    (0..).map_while(|at| instructions.get(at))
}

/// The filter that does the same as an instruction and counts its work; none if the work is small. `is_bounded` if the
/// right operand is a constant, which bounds a comparison.
fn counted<'a>(
    instruction: &Instruction<'a>,
    is_bounded: bool,
) -> Result<Option<Instruction<'a>>, FactError> {
    let (name, count) = match instruction {
        Instruction::StringConcat => ("~", 2),
        Instruction::Add => ("+", 2),
        Instruction::Mul => ("*", 2),
        Instruction::In if !is_bounded => ("in", 2),
        Instruction::Eq if !is_bounded => ("==", 2),
        Instruction::Ne if !is_bounded => ("!=", 2),
        Instruction::Lt if !is_bounded => ("<", 2),
        Instruction::Lte if !is_bounded => ("<=", 2),
        Instruction::Gt if !is_bounded => (">", 2),
        Instruction::Gte if !is_bounded => (">=", 2),
        Instruction::Slice => ("[:]", 4),
        Instruction::BuildList(Some(count)) => ("[]", *count),
        Instruction::BuildTuple(Some(count)) => ("()", *count),
        Instruction::BuildMap(pairs) => ("{}", pairs * 2),
        Instruction::CompareAndPreserve(_) => {
            let what = "more than two values are compared at once: write `a < b and b < c`";
            return Err(FactError::Syntax(what.into()));
        }
        _ => return Ok(None),
    };
    let count = u16::try_from(count).map_err(|_| FactError::TooLarge(usize::from(u16::MAX)))?;
    Ok(Some(Instruction::ApplyFilter(name, Some(count), NOT_CACHED)))
}

/// The place of the instruction that another one may go on with.
fn aim(instruction: &Instruction<'_>) -> Option<u32> {
    match instruction {
        Instruction::Iterate(target)
        | Instruction::Jump(target)
        | Instruction::JumpIfFalse(target)
        | Instruction::JumpIfFalseOrPop(target)
        | Instruction::JumpIfTrueOrPop(target) => Some(*target),
        _ => None,
    }
}

/// The same, to be changed.
fn target<'a>(instruction: &'a mut Instruction<'_>) -> Option<&'a mut u32> {
    match instruction {
        Instruction::Iterate(target)
        | Instruction::Jump(target)
        | Instruction::JumpIfFalse(target)
        | Instruction::JumpIfFalseOrPop(target)
        | Instruction::JumpIfTrueOrPop(target) => Some(target),
        _ => None,
    }
}

/// The same instructions with a template's own text written as a value is, which counts it: a loop repeats it.
fn with_counted_texts<'a>(instructions: &Instructions<'a>) -> Instructions<'a> {
    let mut places = Vec::new();
    let mut counted = Instructions::new(instructions.name(), instructions.source());
    let mut next = 0;
    for instruction in all(instructions) {
        places.push(next);
        let last = match instruction {
            Instruction::EmitRaw(text) => {
                counted.add(Instruction::LoadConst(Value::from(*text)));
                counted.add(Instruction::Emit)
            }
            other => counted.add(other.clone()),
        };
        next = last + 1;
    }
    let moved = |old: u32| places.get(old as usize).copied().unwrap_or(next);
    let mut at = 0;
    while let Some(instruction) = counted.get_mut(at) {
        if let Some(target) = target(instruction) {
            *target = moved(*target);
        }
        at += 1;
    }
    counted
}
