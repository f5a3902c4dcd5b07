"""The day of the year inside kernels, from days since 1970-01-01.

E.M. Reingold, N. Dershowitz (2018), Calendrical Calculations, 4th ed., chapter 2: years that begin in
March, so that a leap day is the last of its year.
"""

from agbench.compiled import kernel

_TO_MARCH_0000 = 719_468  # d; from 0000-03-01 to 1970-01-01
_DAYS_OF_400_YEARS = 146_097


@kernel
def month_and_day(day: int) -> int:
    """Return 100 x month + day of the month, for a day from 0 on."""
    of_era = (day + _TO_MARCH_0000) % _DAYS_OF_400_YEARS
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day_of_month = of_year - (153 * month + 2) // 5 + 1
    return 100 * (month + 3 if month < 10 else month - 9) + day_of_month
