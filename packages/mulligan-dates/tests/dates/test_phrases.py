"""What English phrases mean, said on Wednesday 2025-10-22 at 10:15.

Each line: every answer that is right, and the phrases that have it.
"""

from __future__ import annotations

import pytest

from tests.dates.said import days, moments

DAYS = {
    "written dates": """
    1905-03-05 = the fifth of march nineteen oh five | march 5th nineteen o five
    1958-11-12 or 2058-11-12 = 11/12/58 | November 12, '58 | 58-11-12 | '58-11-12 | 11/12/'58
    1945-05-09 or 2045-05-09 = May 9 45
    1974-08-31 = 8/31/74 | 74/8/31
    1998-06-02 = June second nineteen ninety eight
    2001-09-10 = tenth of September two thousand and one
    2015-10-31 = last day of october 2015
    2024-02-29 or 2028-02-29 = Feb 29
    2024-10-23 or 2025-10-23 = Oct23
    2024-10-27 or 2025-10-27 = 27 ocotber
    2024-11-03 or 2025-11-03 = Nov. 3 | the 3rd of november
    2024-11-10 or 2025-11-10 = 10-November
    2024-11-30 or 2025-11-30 = 30th. November
    2024-12-05 = last December 5th
    2024-12-05 or 2025-12-05 = December the 5th | 5. Dec | fifth of December | Decmber 5
    2025-02-05 or 2026-02-05 = Febuary 5
    2025-03-05 or 2026-03-05 = March 5
    2025-03-25 = 25/3/2025
    2025-04-25 or 2026-04-25 = 4/25
    2025-09-05 or 2026-09-05 = Sep 5th
    2025-09-27 or 2025-10-27 = 27th in the afternoon
    2025-10-02 or 2026-10-02 = october the 2nd
    2025-10-03 = the 3rd day of october
    2025-10-22 = Wed, 22 of Oct
    2025-10-24 = evening of Friday the 24th
    2025-10-29 = wednsday 29 october
    2025-10-30 = thursady 30 october
    2025-10-31 = 2025-10-31 friday
    2025-11-03 = 2025-11-03 | 3 November 2025 | November 3rd, 2025 | 11/3/2025 | 3-Nov-25
    2025-11-03 = 2025-nov-3 | November third two thousand and twenty five | Monday, November 3
    2025-11-10 = 2025-11-20 -10days
    2025-11-11 = the first Tuesday after Nov 10 2025
    2025-11-12 = 2025 November 12
    2025-11-20 = on the 20th of the next month
    2025-11-30 = 30. 11. 2025 | 30 / 11 / 2025 | 30.11 2025
    2025-12-05 = 5dec2025 | 05DEC25 | Dec 5 2025 | 5 Dec '25 | Dec-05-2025 | 2025 Dec 5
    2025-12-05 = 2025, December 5 | 5 December, 2025 | December 5 this year | this December 5
    2025-12-05 = 12/5/25 | 2025/12/05
    2025-12-25 = 25.12.25
    2026-03-04 = 2026-03-04 | 20260304 | 2026/3/4
    2026-04-25 = 25.4.2026
    2026-12-05 = next year on December 5
    unknown = Feb 30 | Friday, November 3 2025 | 2026-13-04 | 31.4.2026 | 1/2/3/4
    """,
    "weekdays and ordinals": """
    2024-11-01 or 2025-11-01 = first day of November
    2024-12-02 or 2025-12-01 = the first Monday of December
    2024-12-20 or 2025-12-19 = the Friday before Christmas
    2024-12-24 or 2025-12-24 = the day before Christmas
    2024-12-31 or 2025-12-31 = the thirty first of December
    2025-04-10 = 100th day of the year
    2025-06-13 or 2026-02-13 = Friday the thirteenth
    2025-08-31 or 2025-10-31 = the 31st
    2025-10-01 or 2025-11-01 = the 1st of the month | first of the month | the 1st
    2025-10-03 or 2025-11-03 = the 3rd
    2025-10-06 = three Mondays ago
    2025-10-06 or 2025-10-13 = the Monday before last
    2025-10-10 = Friday before last
    2025-10-13 or 2025-10-20 = last Monday
    2025-10-16 or 2025-11-20 = the third Thursday
    2025-10-17 = Friday past | Friday last | last Friday
    2025-10-17 or 2025-10-24 = firday | Friday
    2025-10-18 or 2025-10-25 = the day after Friday
    2025-10-20 or 2025-10-27 = this Monday
    2025-10-22 or 2025-10-29 = Wednesday
    2025-10-24 = Friday coming | the upcoming Friday | Friday this week | Friday 24 | Fri, 24 Oct
    2025-10-24 = Friday the twenty-fourth of October | Friday, 24.10. | this Friday
    2025-10-24 = this coming Friday
    2025-10-24 or 2025-10-31 = nxt friday | Friday next | next Friday
    2025-10-26 or 2025-11-02 = Sunday next week
    2025-10-27 = next Monday
    2025-10-28 = the day after next Monday | Tuesday the 28th
    2025-10-30 = the penultimate day of the month | second to last day of the month
    2025-10-31 = next week's Friday | a week Friday | the second Friday from now | in two Fridays
    2025-10-31 = the last Friday of October 2025 | Friday next week | next week on Friday
    2025-10-21 or 2025-10-31 = the end of the month | EOM | month-end
    2025-11-02 = the Sunday after next Wednesday
    2025-10-31 = Friday week | last Friday of the month | the last Friday in month
    2025-10-31 or 2025-11-07 = a week from next Friday | Friday after next
    2025-11-02 = the second day of next month
    2025-10-30 = tomorrow week
    2025-11-07 = two weeks Friday
    2025-11-10 = two weeks from next Monday | the Monday after November 5 2025
    2025-11-11 = second Tuesday of next month
    2025-11-12 = one week after Nov 5 2025
    2025-11-15 = next month on the 15th
    2025-11-20 = 20th of next month
    2025-11-30 = last day of next month
    2025-12-19 = the Friday before Christmas 2025
    2025-12-23 = Tuesday, two months from today
    2025-12-31 = the last day of 2025
    2026-01-01 = first day of 2026
    2028-02-29 = the last day of February 2028
    2030-12-24 = 12/24/30
    unknown = the fifth Monday of November 2025
    """,
    "days that are counted": """
    1925-10-22 = a century ago
    2015-10-22 = a decade ago
    2023-01-26 = one thousand days ago
    2024-04-22 = 18 months ago
    2024-10-22 = a year ago today | 1 yr ago
    2024-12-15 or 2025-12-14 = two Sundays before Christmas
    2025-03-01 = a year after March 1, 2024
    2025-07-22 = 3mo ago | a quarter ago
    2025-08-22 = 2 mos ago
    2025-09-22 = month ago
    2025-09-24 = two fortnights ago
    2025-10-01 = three weeks ago
    2025-10-08 = fortnight ago
    2025-10-12 = the Sunday before last | ten days ago today
    2025-10-13 = from last week monday
    2025-10-15 = week ago
    2025-10-19 = two days before yesterday | today -3d | Sunday last
    2025-10-20 = the night before last
    2025-10-20 or 2025-10-27 = late on Monday
    2025-10-21 = yday | one day ago
    2025-10-22 = tonigth | later tonight | last thing tonight | today | this early morning
    2025-10-22 = today (22/10)
    2025-10-23 = tomorrow, October 23 | early tomorrow | tomorrow first thing | all day tomorrow
    2025-10-23 = midmorning tomorrow | mid-afternoon tomorrow | tomorrow over lunch | tomorrow
    2025-10-23 = tomorrow's date | tomorrow, Thursday | tomorow | tmw
    2025-10-24 = the day after tomorrow | the day after tomorrow in the evening
    2025-10-24 = day after tomorrow | overmorrow | in 2 days time | 2 days out | 2 days away
    2025-10-24 or 2025-10-31 = a week from Friday
    2025-10-25 = 3 days from now | today plus 3 days | today + 3 days
    2025-10-26 = 5 days since yesterday
    2025-10-27 = four days from tomorrow
    2025-10-27 or 2025-11-03 = Monday in a week
    2025-10-28 = Tuesday, of next week
    2025-10-29 = a week today | in a week's time
    2025-10-30 = a week from tomorrow | tomorrow + 1 week | a week tomorrow
    2025-10-30 = a week and a day from now
    2025-11-02 = two sundays later
    2025-11-03 = in twelve days
    2025-11-05 = in a fortnight | in two weeks' time | two weeks today
    2025-11-06 = tomorrow in two weeks | a fortnight tomorrow
    2025-11-07 = 2 days after the 5th of November 2025
    2025-11-12 = in twenty-one days
    2025-11-13 = three weeks tomorrow
    2025-11-17 = four Mondays from now
    2025-11-22 = today in a month | a month from now
    2025-11-23 = a month from tomorrow
    2025-11-30 = 2025-11-20 +10 days
    2025-11-05 = two weeks | 2 weeks. | + 2 weeks
    2025-10-20 = - 2 days
    2027-11-10 = November 10th in two years
    2025-12-04 = 2 weeks after 11/20/2025
    2025-12-06 = six weeks from this Saturday
    2025-12-25 or 2026-12-25 = one year after christmas
    2026-01-22 = 3mo later | in 3mo | in 3 mos
    2026-01-30 = in a hundred days | in 100 days
    2026-04-20 = a hundred and eighty days from now
    2026-04-22 = in half a year
    2026-12-22 = in one year and 2 months
    2028-07-18 = a thousand days from now
    unknown = tomorrow, October 24 | tomorrow in 3 days
    """,
    "days that have a name": """
    2024-11-05 = last Bonfire Night
    2024-12-25 or 2025-12-25 = Christmas
    2025-04-20 = last Easter
    2025-10-31 = this Halloween
    2025-11-28 = Black Friday 2025
    2025-12-01 = Cyber Monday 2025
    2025-12-02 = Giving Tuesday 2025
    2025-12-14 = two Sundays before Christmas 2025
    2025-12-23 = two days before Christmas 2025
    2025-11-11 = Veterans Day 2025
    2025-11-30 = Advent Sunday 2025
    2025-12-25 = next Christmas
    2026-02-16 = Presidents' Day 2026
    2026-05-25 = Memorial Day 2026
    2026-06-04 = Corpus Christi 2026
    2026-09-07 = next Labor Day
    2026-09-08 = the Tuesday after Labor Day 2026
    2026-10-12 = Canadian Thanksgiving 2026
    2026-01-06 = Epiphany 2026
    2026-04-01 = next April Fools' Day
    2026-04-04 = Holy Saturday 2026
    2026-04-05 = Easter 2026
    2026-05-31 = Trinity Sunday 2026
    2027-03-26 = Good Friday 2027
    """,
    "one slip in a long name": """
    2025-09-27 = 27 septmber 2025
    2025-10-21 = yesteday
    2025-10-23 = tommorrow
    2025-10-30 = thurday 30 ocotber
    2026-02-05 = Febuary 5 2026
    """,
}
MOMENTS = {
    "times of day": """
    2024-10-27 12:00 or 2025-10-27 12:00 = 27th October, midday
    2024-10-27 15:00 or 2025-10-27 15:00 = 27/10 approx. 15:00
    2024-10-27 18:00 or 2025-10-27 18:00 = 6pm Oct27
    2024-10-27 19:00 or 2025-10-27 19:00 = 27.10. at 7pm
    2024-10-27 19:30 or 2025-10-27 19:30 = 27 OCT 19:30 | 27 Oct at 1930 | 27 Oct 1930h
    2024-11-10 09:00 or 2025-11-10 09:00 = 10 November, 9 am
    2024-11-24 13:30 or 2025-11-24 13:30 = november twenty fourth one thirty p.m.
    2024-12-31 20:00 or 2025-12-31 20:00 = New Year's Eve at 8pm
    2025-09-27 12:00 or 2025-10-27 12:00 = 27th at noon
    2025-10-16 23:00 or 2025-10-23 23:00 = eleven o'clock Thursday night
    2025-10-17 16:00 or 2025-10-24 16:00 = Fri@4pm
    2025-10-17 16:30 = last Friday at 4:30 pm
    2025-10-18 13:30 or 2025-10-25 13:30 = one thirty in the afternoon on saturday
    2025-10-19 21:00 or 2025-10-26 21:00 = sunday at 9 in the evening
    2025-10-21 09:00 = at 9 yesterday morning
    2025-10-21 20:15 = yesterday evening at 8:15
    2025-10-22 06:13 or 2025-10-23 06:13 = 6.13 AM
    2025-10-22 07:30 = this morning at seven thirty
    2025-10-22 07:56:13 or 2025-10-23 07:56:13 = 7:56:13 am
    2025-10-22 08:00 or 2025-10-23 08:00 = 8am
    2025-10-22 09:00 or 2025-10-23 09:00 = 0900 hours
    2025-10-22 11:45 = 15 to noon | 11 45 am
    2025-10-22 12:00 = 12 noon | 12 o'clock noon | noontime | high noon | today at midday | noon
    2025-10-22 12:30 = at 12.30
    2025-10-22 15:00 = at 3 this afternoon
    2025-10-22 15:15 = at quarter past 3 in the afternoon
    2025-10-22 17:00 = 5p.m. | 5:00 PM | 17.00 | 17:00 hrs
    2025-10-22 17:00 or 2025-10-23 05:00 = five o'clock
    2025-10-22 17:05 = five oh five pm | five o five pm
    2025-10-22 17:30 = 5 30 pm | 5:30 in the afternoon | five-thirty pm
    2025-10-22 17:30 or 2025-10-23 05:30 = half-past five | at half five
    2025-10-22 17:45 = five forty five pm
    2025-10-17 07:30 or 2025-10-17 19:30 or 2025-10-24 07:30 or 2025-10-24 19:30 = friday 7.30
    2025-10-22 18:00 = 18:00h
    2025-10-22 18:30 = half past six tonight | six thirty p.m.
    2025-10-22 19:00 = about 7pm | ca. 7pm | roughly 7pm | ~7pm | 7pm sharp | 7pm on the dot
    2025-10-22 19:00 = just after 7pm
    2025-10-22 19:00 or 2025-10-23 07:00 = 7ish
    2025-10-22 20:00 = eight at night
    2025-10-22 20:30 = tonight half past 8
    2025-10-22 20:45 or 2025-10-23 08:45 = quarter of nine | quarter til nine
    2025-10-22 20:45 or 2025-10-23 08:45 = quarter before nine | quarter to 9
    2025-10-22 20:50 = ten minutes to nine pm
    2025-10-22 21:05 = 5 after 9pm
    2025-10-22 21:15 or 2025-10-23 09:15 = quarter after nine
    2025-10-22 21:20 = 20 past 9 pm
    2025-10-22 17:00 or 2025-10-22 23:59:59 = end of the day | COB | close of business today
    2025-10-23 00:00 = beginning of tomorrow
    2025-10-23 00:00 or 2025-10-24 00:00 = tomorrow at midnight
    2025-10-23 03:00 = 3 in the morning tomorrow
    2025-10-23 04:00 or 2025-10-23 16:00 = tomorrow at 4
    2025-10-23 05:30 or 2025-10-23 17:30 = 5.30 tomorrow | tomorrow 5.30
    2025-10-23 07:00 or 2025-10-23 19:00 = at 7 tomorrow
    2025-10-23 07:30 = tomorrow at 07:30
    2025-10-23 08:00 = 8 tomorrow morning | tomorrow8am
    2025-10-23 09:00 = tomorrow 0900
    2025-10-23 09:30 or 2025-10-23 21:30 = nine thirty tomorrow
    2025-10-23 10:30 or 2025-10-23 22:30 = tomorrow at ten thirty
    2025-10-23 12:00 = tomorrow about noon | this Thursday noon
    2025-10-23 14:00 = tomorrow two pm
    2025-10-23 14:30 = tomorrow 1430 | tomorrow at 1430 | tomorrow 14.30
    2025-10-23 14:45 = tomorrow at a quarter to three in the afternoon
    2025-10-23 15:30 = tomorrow at 15h30
    2025-10-23 16:10 = ten past 4 tomorrow afternoon
    2025-10-23 16:30 = tomorrow at four thirty in the afternoon
    2025-10-23 17:00 = tomorrow 5pm
    2025-10-23 19:15 = seven fifteen tomorrow evening
    2025-10-23 20:30 = tomorrow at 8.30pm
    2025-10-23 17:00 or 2025-10-23 23:59:59 = tomorrow EOD | end of tomorrow
    2025-10-24 00:00 = tomorrow evening at 12
    2025-10-24 16:00 = 4pm the day after tomorrow
    2025-10-24 19:00 = 7 in the evening on Friday the 24th
    2025-10-25 09:00 = three days from now at 9 in the morning
    2025-10-27 09:00 = at 9 next Monday morning | Monday next week at 9 in the morning
    2025-10-27 15:00 = nxt mon 3pm
    2025-10-27 15:05 = Mon 27th Oct at 15h05
    2025-10-27 18:00 = Mon 27/10 6pm | 6PM MON 27 OCT
    2025-10-29 09:00 = in a week at 9am
    2025-10-30 15:00 = 3pm on the 30th of this month
    2025-11-04 15:00 = 4th of next month at 3pm
    2025-11-21 19:00 = Fri, Nov 21, 2025 07:00 PM
    2025-11-30 14:00 = 14:00 30/11/2025 | Sunday, 30th November 2025, 2:00 PM
    2025-12-05 10:00 = 2025-12-05T10:00 | 2025-12-05T10:00:00 | 2025-12-05 10:00
    2025-12-05 10:00 = 2025-12-05T10:00:00.000 | 2025-12-05T10:00:00.123 | 20251205T100000
    2025-12-05 10:00:30 = 2025-12-05 10:00:30
    2025-12-05 16:30 = Dec 5, 2025 at 4:30 PM | 5th December 2025 16:30
    2026-03-25 09:00 or 2026-03-25 21:00 = 25-Mar-2026 9:00
    unknown = tonight at 3
    """,
    "amounts of time": """
    2024-10-22 10:15 = this time last year
    2025-10-21 10:15 = this time yesterday
    2025-10-22 05:15 = five hours earlier
    2025-10-22 07:15 = roughly three hours ago
    2025-10-22 07:30 = 2 3/4 hours ago | 2h45m ago | 2h45 ago
    2025-10-22 08:00 = two hours and a quarter ago | two and a quarter hours ago
    2025-10-22 08:10 = 2 hours 5 min ago
    2025-10-22 08:15 = 2h ago
    2025-10-22 08:30 = an hour and three quarters ago
    2025-10-22 08:45 = an hour and a half ago
    2025-10-22 09:00 = 1¼ hours ago
    2025-10-22 09:15 = 1hr ago | -1h
    2025-10-22 10:00 = two hours before noon | two hours prior to noon
    2025-10-22 10:14:59 = a second ago
    2025-10-22 10:15 = at the moment
    2025-10-22 10:20 = 5 minutes after now
    2025-10-22 10:30 = in a quarter hour | 15 minutes out
    2025-10-22 10:35 = in around 20 minutes
    2025-10-22 10:45 = in a half hour | in a half an hour | in ½ hour | in a 1/2h | in a half-hour
    2025-10-22 10:45 = in about half an hour | in half an hour
    2025-10-22 11:00 = in forty five minutes | in 3/4 of an hour
    2025-10-22 11:15 = in roughly an hour | in exactly one hour | in another hour
    2025-10-22 11:30 = in an hour and a quarter | 1.25 hours from now
    2025-10-22 11:35 = in 1 hour 20 minutes | in 1h20
    2025-10-22 11:45 = in 1 and a half hours | in one hour and half | in an hour and a half
    2025-10-22 11:15 = an hour | 60 minutes
    2025-10-22 12:15 = in 2 h | about 2 hours from now | now + 2 hours
    2025-10-22 12:45 = in 2 1/2 hours | in 2,5 hours | 2 hours 30 minutes later
    2025-10-22 12:45 = two-and-a-half hours from now
    2025-10-22 13:00 = an hour after noon
    2025-10-22 15:00 = three hours after noon
    2025-10-22 17:30 = half an hour before 6pm
    2025-10-23 10:15 = this time tomorrow
    2025-10-23 19:00 = 2 hours after 5pm tomorrow
    2025-10-29 10:15 = this time next week
    2025-11-22 10:15 = this time next month
    """,
}
UNKNOWN = """
    soon | every Friday | on Fridays | Super Tuesday | Chinese New Year | the party | week 42
    the closest Monday to May 5 | tomorrow or so, says Bob | the 1990s | 10 August 88 BC
    several days from now | 99999999999999999999 days from now | in 9000 years | later in the year
    this time | same time tomorrow | the week after Christmas | two and a half weeks ago
    20 next month | in a 2d | .5 hours ago | 5 business days from now | not tomorrow | weeks ago
    before Friday | after tomorrow | every first of the month | each 15th | every 2nd Friday
    at 5 minutes | 1/200 | Friday 5 | tomorrow to yesterday | by the end of the party
    Sunda | fridge | mayor | marsh | apil | wensday
"""


def read_table(table: str) -> dict[str, list[str]]:
    """By phrase, the answers that are right."""
    answers: dict[str, list[str]] = {}
    for line in table.strip().splitlines():
        right, _, phrases = line.strip().partition(" = ")
        told = [] if right == "unknown" else right.split(" or ")
        answers.update(dict.fromkeys(phrases.split(" | "), told))
    return answers


@pytest.mark.parametrize("topic", DAYS)
def test_a_phrase_means_every_day_that_people_take_it_for(topic: str) -> None:
    expected = read_table(DAYS[topic])

    assert {phrase: days(phrase) for phrase in expected} == expected


@pytest.mark.parametrize("topic", MOMENTS)
def test_a_phrase_means_every_time_that_people_take_it_for(topic: str) -> None:
    expected = read_table(MOMENTS[topic])

    found = {phrase: [each.removesuffix(":00") for each in moments(phrase)] for phrase in expected}

    assert found == expected


def test_what_is_not_understood_as_a_whole_is_unknown() -> None:
    phrases = UNKNOWN.strip().replace("\n", " | ").split(" | ")

    assert {
        phrase.strip(): days(phrase.strip()) for phrase in phrases if days(phrase.strip())
    } == {}


EVERY_DAY = {
    "tomorrow": ["2025-10-23"],
    "this Friday": ["2025-10-24"],
    "next Monday": ["2025-10-27"],
    "Oct 24": ["2024-10-24", "2025-10-24"],
    "24 October": ["2024-10-24", "2025-10-24"],
    "October twenty fourth": ["2024-10-24", "2025-10-24"],
    "the 24th": ["2025-09-24", "2025-10-24"],
    "10/24/2025": ["2025-10-24"],
    "24.10.2025": ["2025-10-24"],
    "2025-10-24": ["2025-10-24"],
    "Friday, 24 Oct": ["2025-10-24"],
    "two days from now": ["2025-10-24"],
    "two weeks ago": ["2025-10-08"],
    "a week on Friday": ["2025-10-31"],
    "Friday next week": ["2025-10-31"],
    "the day after tomorrow": ["2025-10-24"],
    "the last day of the month": ["2025-10-31"],
}
EVERY_TIME = {
    "5pm": ["17:00"],
    "5:30 p.m.": ["17:30"],
    "17:30": ["17:30"],
    "17h30": ["17:30"],
    "noon": ["12:00"],
    "half past five": ["05:30", "17:30"],
    "quarter to 6 pm": ["17:45"],
    "five thirty pm": ["17:30"],
    "five o'clock": ["05:00", "17:00"],
    "5 o'clock in the afternoon": ["17:00"],
    "5pm sharp": ["17:00"],
    "5.30pm": ["17:30"],
    "around 5pm": ["17:00"],
    "approximately 5:30 pm": ["17:30"],
}


@pytest.mark.parametrize("day", EVERY_DAY)
@pytest.mark.parametrize(
    "order", ["{day} {time}", "{day}, {time}", "{time} {day}", "{day} ({time})"]
)
def test_every_day_takes_every_time_on_either_side(day: str, order: str) -> None:
    found = {time: moments(order.format(day=day, time=time)) for time in EVERY_TIME}

    expected = {
        time: [f"{each} {hour}:00" for each in EVERY_DAY[day] for hour in hours]
        for time, hours in EVERY_TIME.items()
    }
    assert found == expected
