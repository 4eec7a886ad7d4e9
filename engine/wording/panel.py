"""Orders on the panel's display: two short lines."""

import re
from typing import Final

from engine.rulings import Order
from engine.wording.orders import options, say_order
from engine.wording.questions import ask_options, question_text
from engine.wording.voice import Voice, voice

LINES: Final = 2
# A number stays with the word before it ("siège 4", "payer 200"), a short remark in one piece.
_BEFORE_NUMBER: Final = re.compile(r" (?=\d)")
_REMARK: Final = re.compile(r"\([^() ]+ [^() ]+\)")
_PART_OF_NUMBER: Final = re.compile(r"[\d,\u00a0]+\Z")


def short_order(order: Order, lang: str, width: int = 40) -> tuple[str, ...]:
    """Say an order in at most two lines of ``width`` characters.

    Numbers are grouped with plain spaces: a small display lacks the thin ones. What does not fit
    ends in "…", never in a part of a number.

    >>> short_order(Order("push_pot", seat=3, amount=1250), "fr")
    ('Poussez 1 250 au siège 3',)
    >>> short_order(Order("ask", fact="seen_by", seat=4), "fr")
    ('Siège 4 : qui a vu la carte ?', 'tous / la plupart / quelques joueurs')
    """
    speaker = voice(lang)
    lines: list[str] = []
    for text in _candidates(order, speaker):
        lines = _wrap(text, width)
        if len(lines) <= LINES and all(len(line) <= width for line in lines):
            return tuple(line.replace("\u00a0", " ") for line in lines)
    return tuple(line.replace("\u00a0", " ") for line in _cut(lines, width))


def _candidates(order: Order, speaker: Voice) -> list[str]:
    """The texts that may be shown, the fullest first."""
    lang = speaker.lang
    found = [say_order(order, lang)]
    if order.order == "act":
        said = options(order, speaker, "short.option")
        if order.seat is not None:
            found.append(speaker.say("short.act.seat.options", seat=order.seat, options=said))
        found.append(said)
    elif order.order == "ask" and order.fact is not None and f"ask.{order.fact}" in speaker.texts:
        labels = " / ".join(label for _, label in ask_options(order.fact, lang, order.options))
        questions = [question_text(order.fact, lang, seat=seat) for seat in (order.seat, None)]
        # The question over its answers; the answers have their buttons, so they go first.
        found = [f"{question}\n{labels}" for question in questions if labels] + questions
    elif f"short.{order.order}.seat" in speaker.texts and order.seat is not None:
        found.append(speaker.say(f"short.{order.order}.seat", seat=order.seat))
    return found


def _wrap(text: str, width: int) -> list[str]:
    """Fill lines word by word; a line break in the text is kept."""
    text = _BEFORE_NUMBER.sub("\u00a0", text.replace("\u202f", "\u00a0"))
    text = _REMARK.sub(lambda remark: remark[0].replace(" ", "\u00a0"), text)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            longer = f"{line} {word}" if line else word
            if line and len(longer) > width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
    return lines


def _cut(lines: list[str], width: int) -> list[str]:
    """Keep the first lines and end them in "…", dropping whole words."""
    kept = lines[:LINES]
    cut = len(lines) > LINES
    for place, line in enumerate(kept):
        words = line.split(" ")
        mark = "…" if cut and place == len(kept) - 1 else ""
        while len(words) > 1 and len(" ".join(words) + mark) > width:
            words.pop()
            mark = "…"
        shown = " ".join(words) + mark
        if len(shown) > width:
            shown = _PART_OF_NUMBER.sub("", shown[: width - 1]) + "…"
        kept[place] = shown
    return kept
