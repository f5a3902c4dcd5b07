"""Answers of weather services in their documented formats, short and made up."""

import json

DAYS = ("20010101", "20010102", "20010103")
VALUES = {
    "ALLSKY_SFC_SW_DWN": (2.1, 3.4, 1.2),
    "T2M_MIN": (-1.0, 0.5, 2.0),
    "T2M_MAX": (4.0, 5.5, 6.0),
    "T2MDEW": (0.0, 1.0, 3.0),
    "WS2M": (3.2, 4.1, 2.0),
    "PRECTOTCORR": (0.0, 5.4, 12.3),
}
UNITS = {
    "ALLSKY_SFC_SW_DWN": "MJ/m^2/day",
    "T2M_MIN": "C",
    "T2M_MAX": "C",
    "T2MDEW": "C",
    "WS2M": "m/s",
    "PRECTOTCORR": "mm/day",
}


def power_json(**changes):
    """An answer of NASA POWER as JSON; `changes` replace values of a parameter."""
    values = {**VALUES, **changes}
    content = {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [5.0, 52.0, 3.51]},
        "properties": {
            "parameter": {name: dict(zip(DAYS, row, strict=True)) for name, row in values.items()}
        },
        "header": {"title": "NASA/POWER Daily", "fill_value": -999.0, "start": DAYS[0], "end": DAYS[-1]},
        "messages": [],
        "parameters": {name: {"units": UNITS.get(name, "C"), "longname": name} for name in values},
    }
    return json.dumps(content)


def power_csv():
    """The same answer as CSV."""
    header = [
        "-BEGIN HEADER-",
        "NASA/POWER Source Native Resolution Daily Data ",
        "Dates (month/day/year): 01/01/2001 through 01/03/2001 in LST",
        "Location: latitude  52.0   longitude 5.0 ",
        "elevation from MERRA-2: Average for 0.5 x 0.625 degree lat/lon region = 3.51 meters",
        "The value for missing source data that cannot be computed: -999 ",
        "parameter(s): ",
        *(f"{name}     A parameter ({unit}) " for name, unit in UNITS.items()),
        "-END HEADER-",
    ]
    rows = [
        ",".join(["2001", str(i + 1), *(str(VALUES[name][i]) for name in VALUES)]) for i in range(len(DAYS))
    ]
    return "\n".join([*header, ",".join(["YEAR", "DOY", *VALUES]), *rows]) + "\n"


KNMI_HEAD = """# SOURCE: ROYAL NETHERLANDS METEOROLOGICAL INSTITUTE (KNMI)
# STN         LON(east)   LAT(north)  ALT(m)      NAME
# 260         5.180       52.100      1.900       De Bilt
# FG        = Daily mean windspeed (in 0.1 m/s)
"""

KNMI_DAILY = (
    KNMI_HEAD
    + """# STN,YYYYMMDD,   FG,   TG,   TN,   TX,    Q,   RH,   UG
  260,20010101,   40,   25,    5,   48,  210,   54,   90
  260,20010102,   30,   35,   15,   60,  340,   -1,   85
"""
)


def knmi_hourly():
    """A day of hours in KNMI's format; the hour 13 is the warmest."""
    rows = [
        f"  260,20010101,{h},   40,{20 + (12 - abs(h - 13)) * 5},   10,{10 if 9 <= h <= 16 else 0},    1"
        for h in range(1, 25)
    ]
    return KNMI_HEAD + "# STN,YYYYMMDD,   HH,   FH,    T,   TD,    Q,   RH\n" + "\n".join(rows) + "\n"
