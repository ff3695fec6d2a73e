"""Numbers in the digits and with the counters of every script; names only where capitals tell."""

from __future__ import annotations

import pytest

from mulligan.checks.grounding import grounded
from mulligan.types.reply import Reply
from mulligan_dates.lexicon import detect_language, has_capitals_for_names, is_unspaced

FIVE_FOR_ONE = {
    "en": ("We have 500 clients.", "We have 100 clients."),
    "zh": ("我们有500个客户。", "我们有100个客户。"),
    "zh price": ("價格是500元。", "價格是100元。"),
    "ja": ("価格は500円です。", "価格は100円です。"),
    "ja full width": ("価格は５００円です。", "価格は１００円です。"),
    "ko": ("고객이 500명 있습니다.", "고객이 100명 있습니다."),
    "hi": ("हमारे ५०० ग्राहक हैं।", "हमारे १०० ग्राहक हैं।"),
    "bn": ("আমাদের ৫০০ গ্রাহক আছে।", "আমাদের ১০০ গ্রাহক আছে।"),
    "ar": ("لدينا ٥٠٠ عميل.", "لدينا ١٠٠ عميل."),
    "fa": ("ما ۵۰۰ مشتری داریم.", "ما ۱۰۰ مشتری داریم."),
    "th": ("มีลูกค้า ๕๐๐ ราย", "มีลูกค้า ๑๐๐ ราย"),
    "de": ("Wir haben 500 Kunden.", "Wir haben 100 Kunden."),
    "fr": ("Nous avons 500 clients.", "Nous avons 100 clients."),
    "es": ("Cuesta 500 euros.", "Cuesta 100 euros."),
    "ru": ("У нас 500 клиентов.", "У нас 100 клиентов."),
    "el": ("Έχουμε 500 πελάτες.", "Έχουμε 100 πελάτες."),
}
GERMAN = [
    ("Die Werkstatt in Hamburg baut Boote aus Eiche.", "Unsere Werkstatt steht in Hamburg, Eiche."),
    ("Ein Boot kostet 1.500 Euro.", "Preis pro Boot: 1.500 €."),
    ("Der Kurs beginnt am 3. Mai 2027 um 14 Uhr.", "Kursbeginn: 03.05.2027, 14:00 Uhr."),
    ("Wir bieten drei Kurse im Jahr an.", "Es gibt 3 Kurse pro Jahr."),
    ("Für Kunden mit Bootsführerschein ist die Miete günstiger.", "Mit Schein kostet es weniger."),
    ("Die Lieferung dauert zwei bis drei Wochen.", "Lieferzeit: 2 bis 3 Wochen."),
    ("Frau Schmidt leitet die Abteilung Vertrieb.", "Leiterin des Vertriebs ist Frau Schmidt."),
    ("Sie erreichen uns von 9 bis 17 Uhr.", "Öffnungszeiten: Mo-Fr 9:00-17:00."),
    ("Rund 20 Prozent der Boote gehen ins Ausland.", "20,4 % der Boote werden exportiert."),
    ("Das Modell Heron kostet 12.900,50 Euro.", "Heron: 12.900,50 €"),
    ("Unser Team hat über hundert Boote gebaut.", "Wir haben 120 Boote gebaut."),
    ("Die Firma Bramble und Oar wurde 1998 gegründet.", "Bramble und Oar, gegründet 1998."),
    ("Das Treffen ist am 3. März 2026 um 14:30 Uhr.", "Das Treffen: 03.03.2026 um 14.30 Uhr."),
    ("Am 16. November schließen wir um 18 Uhr.", "Montag, 16.11., Schluss 18:00"),
    ("Wir schließen am 16.11. um 18 Uhr.", "Am 16. November ist um 18:00 Schluss."),
    ("Unser Büro liegt in der Hauptstraße 12 in 50667 Köln.", "Hauptstraße 12, 50667 Köln"),
    ("Es sind 3 Millionen Euro.", "3.000.000 Euro"),
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


def find_rules(text: str, context: str) -> list[str]:
    return [found.rule for found in grounded()(Reply(text=text, context=(context,)))]


@pytest.mark.parametrize("sample", FIVE_FOR_ONE)
def test_another_number_is_noticed_and_the_same_is_not(sample: str) -> None:
    wrong, right = FIVE_FOR_ONE[sample]

    assert find_rules(wrong, right)
    assert not find_rules(right, right)


@pytest.mark.parametrize(("said", "known"), [*GERMAN, *FAITHFUL])
def test_faithful_sentences_are_let_through(said: str, known: str) -> None:
    assert find_rules(said, known) == []


def test_in_german_another_number_is_still_noticed() -> None:
    assert find_rules("Rund 40 Prozent der Boote gehen ins Ausland.", GERMAN[8][1])
    assert find_rules("Der Kurs beginnt am 4. Mai 2027.", GERMAN[2][1])
    assert find_rules("Wir schließen am 17.11. um 18 Uhr.", "Am 16. November ist um 18:00 Schluss.")
    assert find_rules("Beginn ist um 15.30 Uhr.", "Beginn: 14:30")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("We have five boats and the oars are new.", "en"),
        ("Die Boote sind neu und das Haus ist alt.", "de"),
        ("Les bateaux sont dans le port avec vous.", "fr"),
        ("ボートは新しいです。", "ja"),
        ("船是新的。", "zh"),
        ("Лодки новые.", "ru"),
        ("12345", "en"),
        ("Es sind 3 Millionen Euro.", "de"),
        ("Unser Büro liegt in der Hauptstraße in Köln.", "de"),
        ("El niño es de aquí.", "es"),
    ],
)
def test_a_language_is_told_by_its_letters_and_a_few_words(text: str, code: str) -> None:
    assert detect_language(text) == code


def test_some_scripts_put_numbers_between_words_without_a_space() -> None:
    assert all(map(is_unspaced, "个円명ก"))
    assert not any(map(is_unspaced, ["a", "é", " ", "", "я"]))


@pytest.mark.parametrize(
    ("code", "told"), [("en", True), ("fr", True), ("de", False), ("ja", False)]
)
def test_capitals_tell_names_only_where_nouns_have_none(code: str, told: bool) -> None:
    assert has_capitals_for_names(code) is told
