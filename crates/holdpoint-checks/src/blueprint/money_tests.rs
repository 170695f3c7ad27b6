use proptest::prelude::*;

use super::*;
use crate::blueprint::blueprint_tests::money_words;

const WHOLE: &str = "Money: int";
const EXACT: &str = "Money: Decimal";

fn rule(document: &str) -> MoneyRule {
    MoneyRule::read(document, &money_words()).unwrap()
}

fn shown(path: &str, text: &str, document: &str) -> String {
    let name = |message: &str| message.replace('`', "").split(": ").next().unwrap().to_owned();
    in_file(path, text, &rule(document))
        .iter()
        .map(|finding| name(&finding.message))
        .collect::<Vec<_>>()
        .join("; ")
}

fn check(path: &str, cases: &[(&str, &str)]) {
    for (text, expect) in cases {
        assert_eq!(shown(path, text, WHOLE), *expect, "{path}: {text}");
    }
}

#[test]
fn what_the_blueprint_says() {
    for (text, expect) in [
        ("| Money | int | cents |", Some(Money::Whole)),
        ("- **Money:** `int` (cents), never float", Some(Money::Whole)),
        ("Amounts are integers in minor units.", Some(Money::Whole)),
        ("## Money\n\nStored in cents.", Some(Money::Whole)),
        ("## Money\n\n### Storage\n\n```\ntype Money = int\n```", Some(Money::Whole)),
        ("Money is Decimal, never float", Some(Money::Exact)),
        ("Prices: `Decimal`, not int", Some(Money::Exact)),
        ("Never use float for money", Some(Money::Exact)),
        ("Money is never a float", Some(Money::Exact)),
        ("Money: Decimal\n\nPrices: int", Some(Money::Whole)),
        ("IDs are int", None),
        ("Money is handled by billing", None),
        ("<!-- Money: int -->", None),
        ("Money matters for printing", None),
        ("", None),
    ] {
        assert_eq!(MoneyRule::read(text, &money_words()).map(|rule| rule.money), expect, "{text}");
    }
}

#[test]
fn names_of_money() {
    for name in [
        "price",
        "unit_price",
        "unitPrice",
        "TOTAL_PRICE",
        "amount_due",
        "order_total",
        "total",
        "Fee",
        "balance_usd",
    ] {
        assert!(rule(WHOLE).is_amount(name), "{name}");
    }
    for name in [
        "priced",
        "costume",
        "fee_rate",
        "price_ratio",
        "total_seconds",
        "total_count",
        "discount",
        "totally",
        "amountId",
        "x",
        "",
    ] {
        assert!(!rule(WHOLE).is_amount(name), "{name}");
    }
}

#[test]
fn python() {
    check(
        "a.py",
        &[
            ("price: float", "price is float"),
            ("class A:\n    price: float = 0\n    fee: Decimal", "price is float; fee is Decimal"),
            ("price: Optional[float] = None", "price is float"),
            ("price: float | None", "price is float"),
            ("prices: dict[str, float] = {}", "prices is float"),
            ("self.total: float = 0", "total is float"),
            ("def f(price: float, n: int) -> int: ...", "price is float"),
            ("async def f(\n    n: float,\n    fee: float = 0,\n): ...", "fee is float"),
            ("def total_price(x: float) -> float: ...", "total_price is float"),
            ("price = 9.99", "price is 9.99"),
            ("price = -9.99  # x", "price is 9.99"),
            ("f(price=9.99, n=1.5)", "price is 9.99"),
            ("price = float(x)", "price is float"),
            ("price = float(x) or None", "price is float"),
            ("price = Decimal('1')", "price is Decimal"),
            ("price = decimal.Decimal('1')", "price is Decimal"),
            ("price = models.FloatField(default=0)", "price is FloatField"),
            ("price = Column(Float)", "price is Float"),
            ("price: Mapped[int] = mapped_column(Numeric(10, 2))", "price is Numeric"),
            // Right, or not said.
            ("price: int\nprice = 999\nprice = round(float(x) * 100)\nprice = int(Decimal(x))", ""),
            ("ratio: float\nprice_ratio: float = 0.5", ""),
            ("if price: x = float(y)", ""),
            ("f = lambda price: float(price)", ""),
            ("price == 9.99", ""),
            ("price = 9.99 * 100", ""),
            ("'price: float'  # price: float", ""),
            ("x = {price: float(y)}", ""),
            ("return price", ""),
            ("def f(price: int, ratio: int = 1.5): ...", ""),
            ("def f(price: Any = 9.99): ...", "price is 9.99"),
            ("price: Any = 9.99", "price is 9.99"),
        ],
    );
    assert_eq!(shown("a.py", "price: Decimal\nfee: float", EXACT), "fee is float");
}

#[test]
fn typescript_and_rust() {
    check(
        "a.ts",
        &[
            ("const price = 9.99;", "price is 9.99"),
            ("let price: number = 9.99", "price is 9.99"),
            ("const o = { price: 9.99, n: 1.5 }", "price is 9.99"),
            ("price = parseFloat(x)", "price is parseFloat"),
            ("price = Number.parseFloat(x)", "price is parseFloat"),
            ("total = new Decimal(x)", "total is Decimal"),
            ("interface A { price?: Decimal; fee: Prisma.Decimal }", "fee is Decimal; price is Decimal"),
            ("function totalPrice(x): Decimal {}", "totalPrice is Decimal"),
            ("type Price = Decimal;", "Price is Decimal"),
            ("price: number; price = 999; price = Math.round(parseFloat(x) * 100)", ""),
            ("let price: number, ratio = 1.5", ""),
            ("const o = { price: Math.round(parseFloat(x)) }", ""),
            ("`price: ${float}` // price = 9.99", ""),
            ("type Price = { ratio: Decimal }; class A { fee = 9.99 }", "fee is 9.99"),
        ],
    );
    check(
        "a.rs",
        &[
            ("struct A { pub price: f64, n: f64 }", "price is f64"),
            ("fn f(price: Option<f32>) {}", "price is f32"),
            ("let price = 9.99;", "price is 9.99"),
            ("let price = 9f64;", "price is 9f64"),
            ("const FEE: f64 = 1.0;", "FEE is f64"),
            ("fn total_price(&self) -> f64 {}", "total_price is f64"),
            ("type Price = f64;", "Price is f64"),
            ("struct Price(f64);", "Price is f64"),
            ("let amount = Decimal::new(1, 2);", "amount is Decimal"),
            ("let amount = f64::from(x);", "amount is f64"),
            ("let price: i64 = 9; let price = (x as f64).round() as i64; let ratio: f64 = 0.5;", ""),
            ("match total { 1 => f64::MAX }", ""),
        ],
    );
}

#[test]
fn go() {
    check(
        "a.go",
        &[
            ("type A struct {\n\tPrice float64 `json:\"price\"`\n\tN float64\n}", "Price is float64"),
            ("var price float64", "price is float64"),
            ("func f(price, fee float64, n int) {}", "fee is float64; price is float64"),
            ("func (o Order) Total() float64 {}", "Total is float64"),
            ("func f() (total float64, err error) {}", "total is float64"),
            ("type Price float64", "Price is float64"),
            ("var prices map[string]float64", "prices is float64"),
            ("var amount *decimal.Decimal", "amount is Decimal"),
            ("price := 9.99", "price is 9.99"),
            ("price := float64(x)", "price is float64"),
            ("var price int64 = 9\nx := price * float64(q)\ntotal := int64(float64(price) * 1.5)", ""),
            ("// price float64\nvar s = `price float64`", ""),
            ("type Total struct {\n\tN float64\n}\nn, price := 1, 9.99", "price is 9.99"),
        ],
    );
}

#[test]
fn specs() {
    for (text, expect) in [
        ("- `price: float` in cents", 1),
        ("| amount | decimal(10,2) |", 1),
        ("```\nclass A:\n    price: float\n```", 1),
        ("The total is stored as a float.", 1),
        ("double price;", 1),
        ("price: int, not float", 0),
        ("Never use float for price: float", 0),
        ("price: int", 0),
        ("the price and a float valve", 0),
        ("<!-- price: float -->", 0),
        ("price_ratio: float", 0),
    ] {
        assert_eq!(in_spec(text, &rule(WHOLE)).len(), expect, "{text}");
    }
    assert_eq!(in_spec("a\n\nprice: float", &rule(WHOLE))[0].line, 3);
    assert!(in_spec("price: Decimal", &rule(EXACT)).is_empty());
}

proptest! {
    #[test]
    fn any_text_is_read(
        text in "(price|total|float64|Decimal|9\\.99|:|=|:=|\\(|\\)|\\[|\\]|\\{|\\}|,|\\.|::|->|def|struct|type|new|map|\\*|-| |\n|é|async|Column){0,40}",
        path in "a\\.(py|ts|rs|go)",
    ) {
        in_file(&path, &text, &rule(WHOLE));
        in_spec(&text, &rule(EXACT));
        MoneyRule::read(&text, &money_words());
    }
}
