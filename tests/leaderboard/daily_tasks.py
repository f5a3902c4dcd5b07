"""The tasks whose rows are held against a rule every day; those of all others before a release."""

DAILY = (
    "wheat-*",
    "greenhouse-*",
    "*orchard-v1",
    "grape-*",
    "sunflower-farm-*",
    "maize-*",
    "potato-runoff-v1",
    "wofostgym-w*",
)
