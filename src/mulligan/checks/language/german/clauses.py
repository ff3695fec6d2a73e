"""German words that open clauses, and say what each clause asks for."""

from __future__ import annotations

from mulligan.checks.language.tables import ClauseWords, build_set, build_words

_MOVING = (
    "verschieb | verschiebe | verschieben | verschiebst | verschoben | verleg | verlege | "
    "verlegen | verlegst | verlegt | verschiebt | tausch | tausche | tauschen | ändere | ändern"
)
_DOING = (
    "trag | trage | tragen | eintragen | einzutragen | leg | lege | legen | anlegen | anzulegen | "
    "plan | plane | planen | einplanen | buch | buche | buchen | reservier | reserviere | "
    "reservieren | erstell | erstelle | erstellen | mach | mache | machen | setz | setze | "
    "setzen | ansetzen | anzusetzen | vereinbar | vereinbare | vereinbaren | organisier | "
    "organisiere | organisieren | erinner | erinnere | erinnern | lad | lade | einladen | "
    "blocke | blocken | blockier | blockiere | blockieren | schick | schicke | schicken | send | "
    "sende | senden | schreib | schreibe | schreiben | bestell | bestelle | bestellen | kauf | "
    "kaufe | kaufen | ruf | rufe | anrufen | storniere | stornieren | sag | sage | absagen | "
    "abzusagen | lösch | lösche | löschen | entfern | entferne | entfernen | streich | streiche | "
    "streichen | notier | notiere | notieren | stell | stelle | stellen | überweis | überweise | "
    "überweisen | zahl | zahle | bezahle | bezahlen | teil | teile | teilen | füg | füge | "
    "hinzufügen | nimm | gib | hol | hole | bring | bringe | melde | anmelden | reich | reiche | "
    "verlänger | verlängere | verlängern | starte | starten | öffne | schließe | aufnehmen"
)

CLAUSES = ClauseWords(
    doing=build_words(f"{_DOING} | {_MOVING}"),
    moving=build_words(_MOVING),
    asking=build_words(
        "was | wann | wer | wen | wem | wo | wohin | wie | warum | welche | welcher | welches | "
        "welchen | zeig | zeige | zeigen | such | suche | suchen | find | finde | finden | prüf | "
        "prüfe | prüfen | schau | schaue | sieh | liste | nenne | lies | überprüfe | habe ich | "
        "hab ich | bin ich | gibt es | ist | sind | war | hat | haben wir | zähle | fasse"
    ),
    conditions=build_words("wenn | falls | sofern | solange | sobald | außer wenn | ob"),
    inversions=build_words("sollte | sollten"),
    consequences=build_words("dann | sonst | ansonsten | andernfalls"),
    joints=build_words(
        "und | dann | aber | also | sonst | ansonsten | oder | sondern | , | ; | : | - | "
        "\N{EN DASH} | \N{EM DASH}"
    ),
    either=build_words("oder | entweder"),
    courtesies=build_words(
        "bitte | kannst du | könntest du | würdest du | könnten sie | können sie | kannst du mir | "
        "kann ich | ich möchte | ich will | ich würde gern | ich würde gerne | ich brauche | wir "
        "brauchen | wir müssen | ich muss | du sollst | mal | doch | auch | und | dann | also | "
        "hallo | hi | ok | okay | ja | jetzt | hilf mir | es wäre gut"
    ),
    subjects=build_words(
        "ich | wir | er | sie | es | du | ihr | man | das | dies | dort | da | der | die | wer"
    ),
    telling=build_words(
        "ist | sind | war | waren | hat | hatte | habe | haben | bin | wird | werden | muss | "
        "müssen | soll | sollen | kann | kommt | kommen | geht | gehen | beginnt | beginnen | "
        "endet | fängt | passt | klappt | fährt | fliegt | findet | trifft | arbeitet"
    ),
    before_nouns=build_words(
        "der | die | das | den | dem | des | ein | eine | einen | einem | einer | mein | meine | "
        "meinen | meinem | meiner | unser | unsere | unseren | unserem | dein | deine | deinen | "
        "ihr | ihre | ihren | sein | seine | seinen | kein | keine | keinen | jeder | jede | "
        "jeden | zum | zur | vom | beim | im | ins | mit | für | ohne | neue | neuen | neuer | "
        "nächste | nächsten | letzte | letzten | diese | diesen | dieser"
    ),
    targets=build_words("auf | zu | zum | bis | in"),
    dues=build_words("frist | abgabe | termin | beginn | start | ende | deadline | fällig"),
    not_refusing=build_words(
        "nicht vergessen | vergiss nicht | nicht nur | warum nicht | wenn nicht | falls nicht | "
        "nicht vor | nicht früher | nicht später | nicht sicher | weiß nicht | kann es nicht "
        "erwarten | noch nicht | nicht getroffen"
    ),
    unsure_refusals=build_words("aber | ohne | nie | niemals | kein | keine | keinen"),
    refused_after=build_words(
        "passt nicht | passt mir nicht | passt uns nicht | passt leider nicht | geht nicht | "
        "geht leider nicht | klappt nicht | klappt leider nicht | kann ich nicht | können wir "
        "nicht | kann ich leider nicht | bin ich nicht | fällt aus | ist nicht | ist belegt | "
        "ist voll | ist unmöglich | habe ich keine zeit"
    ),
    empty=build_set(
        "der die das den dem des ein eine einen einem einer und oder aber mit von vom für auf zum "
        "zur bei beim aus nach vor dass daran dazu dort dann auch noch schon bitte mal doch nur "
        "kann kannst können könntest könnte würde würdest soll sollte muss müssen möchte will ich "
        "wir ihr sie man mir mich dir dich uns euch ihm ihn ihnen sein seine seinen mein meine "
        "meinen unser unsere nicht kein keine keinen ist sind war waren wird werden hat habe haben "
        "hatte alle alles jede jeden termin termine besprechung treffen kalender aufgabe aufgaben "
        "erinnerung neu neue neuen neuer gleich zeit tag datum woche monat stattdessen weil seit "
        "bis während über unter wieder nur gerade etwas stunde stunden minute minuten uhr frei"
    ),
)
