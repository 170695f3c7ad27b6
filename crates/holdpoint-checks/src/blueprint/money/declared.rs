//! What source code declares: names, as which type, and with which value.

use tree_sitter::Node;

use super::{Declared, MoneyRule};
use crate::source::{Code, Language, line, walk};

/// A kind of node that declares something, and its fields for names, type and value; empty where it has none.
type Form = (&'static str, &'static str, &'static str, &'static str);

const PYTHON: [Form; 7] = [
    ("assignment", "left", "type", "right"),
    ("default_parameter", "name", "", "value"),
    ("function_definition", "name", "return_type", ""),
    ("keyword_argument", "name", "", "value"),
    ("named_expression", "name", "", "value"),
    ("typed_default_parameter", "name", "type", "value"),
    ("typed_parameter", "", "type", ""),
];
const JAVASCRIPT: [Form; 14] = [
    ("abstract_method_signature", "name", "return_type", ""),
    ("assignment_expression", "left", "", "right"),
    ("assignment_pattern", "left", "", "right"),
    ("function_declaration", "name", "return_type", ""),
    ("function_signature", "name", "return_type", ""),
    ("method_definition", "name", "return_type", ""),
    ("method_signature", "name", "return_type", ""),
    ("optional_parameter", "pattern", "type", "value"),
    ("pair", "key", "", "value"),
    ("property_signature", "name", "type", ""),
    ("public_field_definition", "name", "type", "value"),
    ("required_parameter", "pattern", "type", "value"),
    ("type_alias_declaration", "name", "value", ""),
    ("variable_declarator", "name", "type", "value"),
];
const RUST: [Form; 11] = [
    ("assignment_expression", "left", "", "right"),
    ("const_item", "name", "type", "value"),
    ("field_declaration", "name", "type", ""),
    ("field_initializer", "field", "", "value"),
    ("function_item", "name", "return_type", ""),
    ("function_signature_item", "name", "return_type", ""),
    ("let_declaration", "pattern", "type", "value"),
    ("parameter", "pattern", "type", ""),
    ("static_item", "name", "type", "value"),
    ("struct_item", "name", "body", ""),
    ("type_item", "name", "type", ""),
];
const GO: [Form; 10] = [
    ("assignment_statement", "left", "", "right"),
    ("const_spec", "name", "type", "value"),
    ("field_declaration", "name", "type", ""),
    ("function_declaration", "name", "result", ""),
    ("method_declaration", "name", "result", ""),
    ("method_elem", "name", "result", ""),
    ("parameter_declaration", "name", "type", ""),
    ("short_var_declaration", "left", "", "right"),
    ("type_spec", "name", "type", ""),
    ("var_spec", "name", "type", "value"),
];

/// Types with declarations of their own in them.
const BODIES: [&str; 8] = [
    "field_declaration_list",
    "func_type",
    "function_type",
    "interface_type",
    "object_type",
    "parameter_list",
    "parameters",
    "struct_type",
];

/// The declarations of names for money that are wrong.
pub(super) fn find(code: &Code<'_>, rule: &MoneyRule) -> Vec<Declared> {
    let forms: &[Form] = match code.language {
        Language::Python => &PYTHON,
        Language::JavaScript => &JAVASCRIPT,
        Language::Rust => &RUST,
        Language::Go => &GO,
    };
    let form = |node: Node<'_>| forms.iter().find(|(kind, ..)| *kind == node.kind());
    let declared = |node| form(node).map(|form| declared(code, node, form, rule)).unwrap_or_default();
    code.nodes().into_iter().flat_map(declared).collect()
}

fn declared(code: &Code<'_>, node: Node<'_>, form: &Form, rule: &MoneyRule) -> Vec<Declared> {
    let (_, names, kind, value) = *form;
    let names =
        if names.is_empty() { node.named_child(0).into_iter().collect() } else { listed(node, names) };
    let values = listed(node, value);
    let by_type = listed(node, kind).into_iter().find_map(|kind| type_in(code, kind, rule));
    let wrong = |place: usize| {
        let value = values.get(place).filter(|_| values.len() == names.len());
        by_type.or_else(|| value_of(code, *value?, rule))
    };
    let declared = |(place, name): (usize, &Node<'_>)| {
        // Of `self.price` and `mut price`, the last word.
        let name = leaves(*name).pop()?;
        rule.is_amount(code.text(name))
            .then(|| Some((line(name), code.text(name).to_owned(), wrong(place)?.to_owned())))?
    };
    names.iter().enumerate().filter_map(declared).collect()
}

/// The nodes of a field; of a list in it, its parts.
fn listed<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let nodes: Vec<Node<'t>> = node.children_by_field_name(field, &mut node.walk()).collect();
    match nodes[..] {
        [list] if list.kind() == "expression_list" => list.named_children(&mut list.walk()).collect(),
        _ => nodes.into_iter().filter(Node::is_named).collect(),
    }
}

fn leaves(node: Node<'_>) -> Vec<Node<'_>> {
    walk(node, |_| true).into_iter().filter(|node| node.child_count() == 0).collect()
}

/// A wrong type in a type.
fn type_in<'a>(code: &Code<'a>, node: Node<'_>, rule: &MoneyRule) -> Option<&'a str> {
    let parts = walk(node, |node| !BODIES.contains(&node.kind()));
    parts.into_iter().find(|part| is_type(code, *part, rule)).map(|part| code.text(part))
}

fn is_type(code: &Code<'_>, node: Node<'_>, rule: &MoneyRule) -> bool {
    let is_word = match node.kind() {
        // Of `decimal.Decimal`, the package is no type.
        "package_identifier" => false,
        kind => kind.contains("identifier") || kind.contains("type"),
    };
    is_word && node.child_count() == 0 && rule.is_wrong(code.text(node))
}

/// A value that is wrong by itself: a fraction, or what begins with a call that makes such a number.
fn value_of<'a>(code: &Code<'a>, mut value: Node<'_>, rule: &MoneyRule) -> Option<&'a str> {
    let mut is_whole = true;
    loop {
        value = match value.kind() {
            "unary_operator" | "unary_expression" | "await" | "await_expression" => value.named_child(0)?,
            "binary_expression" | "binary_operator" | "boolean_operator" => {
                is_whole = false;
                value.child_by_field_name("left")?
            }
            "call" | "call_expression" | "new_expression" => return called(code, value, rule),
            _ => return Some(code.text(value)).filter(|number| is_whole && is_fraction(number)),
        };
    }
}

fn called<'a>(code: &Code<'a>, call: Node<'_>, rule: &MoneyRule) -> Option<&'a str> {
    let field = |name: &str| call.child_by_field_name(name);
    let function = leaves(field("function").or_else(|| field("constructor"))?);
    let path: Vec<_> = function.into_iter().take_while(|leaf| code.text(*leaf) != "(").collect();
    let last = path.iter().rev().find(|leaf| leaf.is_named())?;
    // `Decimal::new(…)` by its type, `models.FloatField(…)` by its last name, columns by what is in them.
    let is_static = |place: usize| path.get(place + 1).is_some_and(|next| code.text(*next) == "::");
    let by_name = (0..path.len())
        .find(|place| is_type(code, path[*place], rule) && (path[*place] == *last || is_static(*place)))
        .map(|place| code.text(path[place]));
    let is_column = matches!(code.text(*last), "Column" | "mapped_column" | "Field" | "field");
    by_name.or_else(|| {
        let arguments = field("arguments").filter(|_| is_column)?;
        leaves(arguments).into_iter().find(|leaf| is_type(code, *leaf, rule)).map(|leaf| code.text(leaf))
    })
}

fn is_fraction(number: &str) -> bool {
    let is_number = number.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-'));
    let is_other_base = number.starts_with("0x") || number.starts_with("0b");
    let is_fraction = number.contains('.') || number.ends_with("f64") || number.ends_with("f32");
    is_number && !is_other_base && is_fraction
}
