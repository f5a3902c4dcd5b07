"""Texts and links of a card that show as something else than they are: how each is put in, why refused."""

from hostile import card

TEXTS = {
    "author of blanks": (card(authors=[" "]), "no letter or digit"),
    "author that shows as nothing": (card(authors=["\u3164"]), "invisible .* U\\+3164"),
    "contact of empty cells": (card(contact="\u2800"), "contact: .* no letter or digit"),
    "author of two lines": (card(authors=["A\nB"]), "has line breaks or tabs"),
    "separator of lines": (card(authors=["A\u2028B"]), "U\\+2028"),
    "separator of paragraphs": (card(notes="A\u2029B"), "U\\+2029"),
    "message in variation selectors": (
        card(notes="a" + "".join(chr(0xE0100 + i) for i in range(50))),
        "U\\+E0100",
    ),
    "tower of marks": (card(authors=["A" + "\u0301" * 290]), "more than 4 combining marks"),
    "link to another host than it shows": (
        card(paper="https://github.com@evil.example/x"),
        "is not an address",
    ),
    "password in a link": (card(code="https://github.com:x@evil.example"), "not an address"),
    "host with an ampersand": (card(paper="https://arxiv.org&@evil.example"), "not an addr"),
    "link to no host": (card(paper="https://////"), "is not an address"),
    "link to a host without a dot": (card(paper="https://intranet/x"), "not an address"),
    "link to a number": (card(paper="https://127.0.0.1/x"), "is not an address"),
    "licence that is none": (card(licence="All rights reserved"), "licence"),
}
