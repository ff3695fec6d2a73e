"""What a reply claims, against what its context holds."""

from __future__ import annotations

import pytest

from mulligan.checks.grounding import ClaimKind, grounded, measure_coverage
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Severity
from mulligan.types.reply import Reply
from mulligan_dates.lexicon import detect_language
from tests.checks.replies import findings, rules

HELD = [
    # words, bounds, rounding
    ("We have over a hundred clients.", "We serve 100+ clients."),
    ("Over 400 people came.", "487 people came."),
    ("About 500 people came.", "487 people came."),
    ("Revenue was 5.2 million euros.", "Revenue: EUR 5,231,004"),
    ("Half a million users.", "500,000 users"),
    ("Twenty-five cats, two dozen eggs.", "25 cats and 24 eggs"),
    ("One hundred and twenty seats.", "120 seats"),
    ("1 500 clients", "1,500 clients"),
    # units, ranges, prices
    ("It takes 2 hours.", "It takes 120 minutes."),
    ("A one-year warranty, i.e. 12 months.", "12 months"),
    ("A warranty of 12 months.", "A year's warranty"),
    ("It costs $500.", "Price: 500 USD"),
    ("Between $10 and $20 per month.", "10–20 USD monthly"),
    ("From €1.5k.", "Starts at 1,500 euros."),
    ("| Plan | Price |\n|---|---|\n| A | $50 |", "Plan A is $50."),
    # dates and times
    ("We opened on March 3, 2024.", "Opened 2024-03-03."),
    ("We opened in March 2024.", "Opened 3 Mar 2024."),
    ("Founded in 2015.", "Founded on 3 May 2015."),
    ("On 03/04/2024.", "April 3, 2024"),
    ("Open from 9 am to 5:30pm.", "Open 09:00-17:30"),
    ("Open at 5 o’clock.", "Open at 17:00"),
    # quotations, names, addresses
    ('It is "the best plan there is".', "They say: the best plan there is!"),
    ('It is "the best … there is".', "the best plan there is"),
    ('The "professional edition" plan.', "nothing"),
    ("Ask Maria Lopez.", "Maria Lopez runs sales."),
    ("Key Benefits: speed", "nothing"),
    ("The REST API of the EU", "nothing"),
    ("See [here](https://www.acme.com/).", "https://acme.com/pricing"),
    ("Write to Info@Acme.com.", "info@acme.com"),
    ("Call +1 (555) 010-9999.", "Phone: 555-010-9999"),
    # what is no claim
    ("Here are 3 ways. First, two options.", "nothing"),
    ("We answer 24/7, use A4, GPT-4, v2.1 and 3.11.2, in the 1990s.", "nothing"),
    ("1. One\n2. Two\n13. Later", "nothing"),
    ("`x = 500` and\n```\n500\n```", "nothing"),
    ("As shown [12] before.", "nothing"),
    ("Two clients said so.", "100+ clients"),
    # numerals and bounds
    ("It has 1'500 seats, two thousand three hundred in all.", "1500 seats, 2300 in all"),
    ("It costs 3 bn euros.", "3,000,000,000 euros"),
    ("About 110 clients.", "100 clients"),
    ("At least 50 clients.", "100 guests"),
    ("At most 200 clients.", "100 guests"),
    ("12 clients called.", "100 clients"),
    ("Sold 1 234 567 pieces.", "1,234,567 pieces"),
    # notations and names
    ("On 24.10.2025, 10/24/25 and the 24th of October.", "2025-10-24"),
    ("公開日は2024年5月3日です。", "2024-05-03"),
    ("At 12am, and at 12:30 p.m.", "00:00, 12:30"),
    ("We saw the Bank of England.", "Bank of England"),
    ("We met Ann, Lee and others. Opening Hours: nine", "nine"),
    ("Call 030 1234567 now.", "030 1234567"),
    ("See https://www.Shop.example/Sale/#top.", "https://shop.example/sale"),
]


@pytest.mark.parametrize(("text", "context"), HELD)
def test_what_the_context_holds_in_other_words_passes(text: str, context: str) -> None:
    assert findings(grounded(), text, context=context) == []


NOT_HELD = [
    ("We have 500+ clients.", "We serve 100+ clients.", ClaimKind.NUMBER),
    ("Up to 100 users.", "100+ users", ClaimKind.NUMBER),
    ("We have 500 clients.", "487 clients", ClaimKind.NUMBER),
    ("We have 3 offices.", "We have 5 offices.", ClaimKind.NUMBER),
    ("15 users", "10 to 20 users", ClaimKind.NUMBER),
    ("It takes 3 hours.", "It takes 120 minutes.", ClaimKind.NUMBER),
    ("It weighs 5 kg.", "It is 5 km long.", ClaimKind.NUMBER),
    ("It costs $500.", "Prices start at $50 for 500 clients.", ClaimKind.PRICE),
    ("It costs $50.", "It costs €50.", ClaimKind.PRICE),
    ("Under $500.", "It costs $20.", ClaimKind.PRICE),
    ("| A | B |\n|---|---|\n| x | $70 |", "$50", ClaimKind.PRICE),
    ("It grew by 30%.", "It grew by 3%.", ClaimKind.PERCENTAGE),
    ("On March 4, 2024.", "Opened 2024-03-03.", ClaimKind.DATE),
    ("On March 3, 2024.", "Opened in 2024.", ClaimKind.DATE),
    ("Founded in 2016.", "Founded on 3 May 2015.", ClaimKind.NUMBER),
    ("Open until 6 pm.", "Open 09:00-17:30", ClaimKind.TIME),
    ('It is "the best plan there is".', "the best plan that is", ClaimKind.QUOTE),
    ('It is "quite remarkably good".', "a plan", ClaimKind.QUOTE),
    ("Ask Maria Gonzalez.", "Maria Lopez runs sales.", ClaimKind.NAME),
    ("We work with Acme Rockets in Berlin.", "We work with Acme.", ClaimKind.NAME),
    ("See [here](https://acme.com/x).", "https://acme.com/y", ClaimKind.URL),
    ("Write to info@acme.com.", "info@acme.io", ClaimKind.EMAIL),
    ("[Write](mailto:info@acme.com)", "info@acme.io", ClaimKind.EMAIL),
    ("Call +1 (555) 010-9999.", "Phone: 555-010-9998", ClaimKind.PHONE),
    ("About 111 clients.", "100 clients", ClaimKind.NUMBER),
    ("At least 49 clients.", "100 guests", ClaimKind.NUMBER),
    ("At most 201 clients.", "100 guests", ClaimKind.NUMBER),
    ("13 clients called.", "100 clients", ClaimKind.NUMBER),
    ("Open at 19:05.", "Open at 7:06 pm", ClaimKind.TIME),
    ("We saw the Bank of Ireland.", "Bank of England", ClaimKind.NAME),
]


@pytest.mark.parametrize(("text", "context", "kind"), NOT_HELD)
def test_what_the_context_does_not_hold_is_flagged(
    text: str, context: str, kind: ClaimKind
) -> None:
    assert rules(grounded(), text, context=context) == [f"grounding.{kind}"]


def test_the_persons_own_words_may_be_repeated_unless_told_otherwise() -> None:
    reply = Reply(text="For 40 guests we suggest the hall.", query="We are 40", context=("Hall",))

    assert list(grounded()(reply)) == []
    assert [each.rule for each in grounded(trust_query=False)(reply)] == ["grounding.number"]


@pytest.mark.parametrize("context", [(), ("",), ("  ", "\n")])
def test_without_a_context_nothing_can_be_said(context: tuple[str, ...]) -> None:
    assert list(grounded()(Reply(text="We have 500+ clients.", context=context))) == []


def test_kinds_and_severity_are_settings() -> None:
    check = grounded(kinds=["price"], severity=Severity.WARNING)

    (finding,) = findings(check, "500 clients pay $70.", context="100 clients")

    assert (finding.rule, finding.severity) == ("grounding.price", Severity.WARNING)
    with pytest.raises(ConfigurationError, match="colour"):
        grounded(kinds=["colour"])


def test_every_passage_counts() -> None:
    reply = Reply(text="500 clients pay $70.", context=("500 clients", "a price of $70"))

    assert list(grounded()(reply)) == []


FIVE_FOR_ONE = {
    "en": ("We have 500 clients.", "We have 100 clients."),
    "zh": ("我们有500个客户。", "我们有100个客户。"),
    "zh price": ("價格是500元。", "價格是100元。"),
    "ja": ("価格は500円です。", "価格は100円です。"),
    "ja full width": ("価格は５００円です。", "価格は１００円です。"),
    "ko": ("고객이 500명 있습니다.", "고객이 100명 있습니다."),
    "hi": ("हमारे ५०० ग्राहक हैं।", "हमारे १०० ग्राहक हैं।"),
    "ar": ("لدينا ٥٠٠ عميل.", "لدينا ١٠٠ عميل."),
    "th": ("มีลูกค้า ๕๐๐ ราย", "มีลูกค้า ๑๐๐ ราย"),
    "de": ("Wir haben 500 Kunden.", "Wir haben 100 Kunden."),
    "ru": ("У нас 500 клиентов.", "У нас 100 клиентов."),
}
GERMAN = [
    ("Die Werkstatt in Hamburg baut Boote aus Eiche.", "Unsere Werkstatt steht in Hamburg, Eiche."),
    ("Der Kurs beginnt am 3. Mai 2027 um 14 Uhr.", "Kursbeginn: 03.05.2027, 14:00 Uhr."),
    ("Die Lieferung dauert zwei bis drei Wochen.", "Lieferzeit: 2 bis 3 Wochen."),
    ("Frau Schmidt leitet die Abteilung Vertrieb.", "Leiterin des Vertriebs ist Frau Schmidt."),
    ("Sie erreichen uns von 9 bis 17 Uhr.", "Öffnungszeiten: Mo-Fr 9:00-17:00."),
    ("Das Modell Heron kostet 12.900,50 Euro.", "Heron: 12.900,50 €"),
    ("Die Firma Bramble und Oar wurde 1998 gegründet.", "Bramble und Oar, gegründet 1998."),
    ("Am 16. November schließen wir um 18 Uhr.", "Montag, 16.11., Schluss 18:00"),
    ("Wir schließen am 16.11. um 18 Uhr.", "Am 16. November ist um 18:00 Schluss."),
    ("Unser Büro liegt in der Hauptstraße 12 in 50667 Köln.", "Hauptstraße 12, 50667 Köln"),
    ("Es sind 3 Millionen Euro.", "3.000.000 Euro"),
    ("Wir öffnen um 17:00 Uhr.", "Wir öffnen um 17 Uhr."),
    ("Wir öffnen um 17 Uhr.", "Wir öffnen um 5 pm."),
    ("Es wiegt 5 Kilogramm.", "Es wiegt 5 kg."),
    ("Es wiegt 5 kg.", "Es wiegt 5 Kilogramm."),
    ("Es dauert zwei Stunden.", "Dauer: 120 Minuten"),
    ("Es kostet fünfhundert Euro.", "Preis: 500 €"),
    ("Wir haben einundzwanzig Boote.", "21 Boote"),
    ("Es sind zweitausenddreihundert Kunden.", "2.300 Kunden"),
    ("Der Elf gab acht auf das Boot.", "nichts"),
    ("Eine Minute, ein Boot.", "nichts"),
    ("Es gibt 12 Monate Garantie.", "Die Garantie gilt ein Jahr."),
    ("Die Lieferung dauert sieben Tage.", "Lieferzeit: eine Woche"),
]
FAITHFUL = [
    ("营业时间是2027年5月31日。", "开放日：2027-05-31。"),
    ("公開日は2027年5月31日です。", "公開: 2027年5月31日"),
    ("고객이 5만명 있습니다.", "고객 50000명"),
    ("我们有5万个客户。", "客户: 50000"),
    ("El curso empieza el 3 de mayo de 2027.", "Inicio: 03/05/2027"),
    ("Le cours commence le 3 mai 2027.", "Début : 2027-05-03"),
    ("Le cours commence à 14h30.", "Début : 14:30"),
    ("The release is version 1.2.", "Version 1.2 is out."),
]


@pytest.mark.parametrize("sample", FIVE_FOR_ONE)
def test_another_number_is_noticed_in_every_script_and_the_same_is_not(sample: str) -> None:
    wrong, right = FIVE_FOR_ONE[sample]

    assert rules(grounded(), wrong, context=right)
    assert not rules(grounded(), right, context=right)


@pytest.mark.parametrize(("said", "known"), [*GERMAN, *FAITHFUL])
def test_faithful_sentences_are_let_through(said: str, known: str) -> None:
    assert rules(grounded(), said, context=known) == []


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ("Rund 40 Prozent der Boote gehen ins Ausland.", "20,4 % der Boote werden exportiert."),
        ("Der Kurs beginnt am 4. Mai 2027.", "Kursbeginn: 03.05.2027, 14:00 Uhr."),
        ("Wir schließen am 17.11. um 18 Uhr.", "Am 16. November ist um 18:00 Schluss."),
        ("Beginn ist um 15.30 Uhr.", "Beginn: 14:30"),
        ("Beginn ist um 18 Uhr.", "Beginn: 17:00 Uhr, für 18 Personen"),
        ("Es wiegt 6 Kilogramm.", "Es wiegt 5 kg, für 6 Personen."),
        ("Es kostet drei Euro.", "Es kostet fünf Euro."),
        ("Wir haben fünfhundert Kunden.", "Wir haben 100 Kunden."),
        ("Es dauert drei Stunden.", "Dauer: 2 Stunden"),
    ],
)
def test_in_german_another_number_is_still_noticed(said: str, known: str) -> None:
    assert rules(grounded(), said, context=known)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("We have five boats and the oars are new.", "en"),
        ("Die Boote sind neu und das Haus ist alt.", "de"),
        ("ボートは新しいです。", "ja"),
        ("船是新的。", "zh"),
        ("Лодки новые.", "ru"),
        ("12345", "en"),
        ("Es sind 3 Millionen Euro.", "de"),
        ("El niño es de aquí.", "es"),
    ],
)
def test_a_language_is_told_by_its_letters_and_a_few_words(text: str, code: str) -> None:
    assert detect_language(text) == code


def test_coverage_is_of_words_in_any_form_and_cannot_tell_the_opposite() -> None:
    context = ("The harbour ferry leaves every twenty minutes from the northern pier.",)

    def cover(claim: str) -> float:
        return measure_coverage(claim, context=context)

    assert cover("The harbour ferry leaves every [1] twenty minutes.") == 1.0
    assert cover("Wolves hunt deer in snowy forests.") == 0.0
    assert cover("Leaving ferries at harbour") > 0.2
    assert cover("The ferry never leaves from the northern pier.") > 0.2
    assert cover("Yes.") == 1.0


@pytest.mark.parametrize(
    ("text", "context", "said"),
    [
        ("It costs 500 EUR.", "", "There is no context, so '500 EUR' was not looked at."),
        ("We build boats.", "", ""),
        ("Abrimos el quince de marzo en la tienda.", "Abrimos el doce de marzo.",
         "Number words ('quince') were not looked at in Spanish."),
        ("Abrimos el 12 de marzo en la tienda.", "Abrimos el 12 de marzo.", ""),
        ("Abrimos el doce de marzo en la tienda.", "Abrimos el doce de marzo.", ""),
        ("我们有五百个客户。", "我们有一百个客户。",
         "Names and number words were not looked at in Chinese."),
        ("Магазин открыт третьего мая.", "Магазин открыт.",
         "Names, months and number words were not looked at in Russian."),
        ("Das Boot ist von der Firma Nordwind Segel.", "Das Boot ist neu.",
         "Names ('Firma Nordwind Segel') were not looked at in German."),
        ("Das Boot ist neu und das Haus ist alt.", "Das Boot ist neu.", ""),
        ("The boat is new.", "A boat.", ""),
    ],
)  # fmt: skip
def test_what_was_not_looked_at_is_said(text: str, context: str, said: str) -> None:
    check = grounded()
    assert check.skips is not None

    reply = Reply(text=text, context=(context,) if context else ())

    assert list(check.skips(reply)) == ([said] if said else [])


@pytest.mark.parametrize(
    ("text", "context", "claim", "around"),
    [
        ("We have FIVE Boats.", "We have 7 boats.", "FIVE", "We have FIVE Boats."),
        ("Two dozen eggs, then Five hundred clients.", "24 eggs, 100 clients", "Five hundred",
         "Two dozen eggs, then Five hundred clients."),
        ("Die Straße hat 500 Häuser.", "Sie hat 100 Häuser.", "500", "Die Straße hat 500 Häuser."),
        ('Er sagt: "Die GROSSE Straße ist zu".', "Nichts.", "Die GROSSE Straße ist zu",
         'Er sagt: "Die GROSSE Straße ist zu".'),
        ("Am 3. Mai kostet die Straße Fünfhundert Euro.", "3. Mai, 100 Euro", "Fünfhundert Euro",
         "Am 3. Mai kostet die Straße Fünfhundert Euro."),
        ("Write to Info@Acme.com, Straße 1.", "info@acme.io, 1", "Info@Acme.com",
         "Write to Info@Acme.com, Straße 1."),
    ],
)  # fmt: skip
def test_a_finding_quotes_the_words_as_they_were_written(text, context, claim, around) -> None:
    (finding,) = findings(grounded(), text, context=context)

    assert repr(claim) in finding.issue
    assert finding.quote == around


@pytest.mark.parametrize(
    ("text", "context", "instead"),
    [
        ("The Heron costs 840 EUR.", "The Gull costs 90 EUR. The Heron costs 480 EUR.",
         "The Heron costs 480 EUR."),
        ("We have 500 clients.", "We serve 100 clients. Founded in 2015.", "We serve 100 clients."),
        ("Open until 6 pm.", "The shop is open until 17:30. Call us.",
         "The shop is open until 17:30."),
        ("The course begins on 4 May 2027.", "Its price is 9 EUR. The course begins on 3 May 2027.",
         "The course begins on 3 May 2027."),
        ("Call +1 (555) 010-9999.", "Call us: 555-010-9998.", "Call us: 555-010-9998."),
        ("Write to info@acme.com.", "Write to info@acme.io today.", "Write to info@acme.io today."),
        ("We have twelve boats.", "We are in Kiel. We have 10 boats.", "We have 10 boats."),
        ("The Heron costs 840 EUR.", "The Heron is a boat.", ""),
        ("The Heron costs 840 EUR.", "Heron boats are of oak, since 1998.", ""),
    ],
)  # fmt: skip
def test_the_writer_is_told_what_the_context_says_instead(text, context, instead) -> None:
    (finding,) = findings(grounded(), text, context=context)

    said = finding.correction or ""
    assert (f"“{instead}”" in said) if instead else ("“" not in said)
    assert "leave it out" in said
