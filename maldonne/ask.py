"""``maldonne ask``: the pocket referee, with no hand recorded and no device."""

import argparse
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

import msgspec

from engine import referee, wording
from engine.facts import FACTS
from engine.rulebook import Rulebook
from maldonne.errors import InputError
from maldonne.texts import chosen_language, say
from table_controller.rulebook_files import hand_books, load_book

_BACK: Final = ("r", "b", "back", "retour")
_QUIT: Final = ("q", "quit", "quitter")
_YES_NO: Final = {"o": "yes", "oui": "yes", "y": "yes", "n": "no", "non": "no"}
_WIDTH: Final = 100
_encoder = msgspec.json.Encoder(order="deterministic")

Asked = referee.Pick | referee.Question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "--rulebook", metavar="ID|FILE.toml", default="standard", help="whose answer is asked for"
    )
    parser.add_argument(
        "--answers",
        metavar="A,B,C",
        help="group, incident and the answers to the questions, by name or number; prints what follows",
    )
    parser.add_argument(
        "--json", action="store_true", help="one line per question and answer; answers are read line by line"
    )


def run(options: argparse.Namespace) -> int:
    """Ask until the book can answer, or take the answers given."""
    book = load_book(options.rulebook)
    talk = _Talk(book, hand_books(), chosen_language())
    printer = _Json(talk) if options.json else _Plain(talk)
    if options.answers is not None:
        printer.show(talk.follow([text for text in options.answers.split(",") if text.strip()]))
        return 0
    printer.begin()
    return _converse(talk, printer)


class _Talk:
    """One consultation of a book in one language."""

    def __init__(self, book: Rulebook, others: tuple[Rulebook, ...], language: str) -> None:
        self.book = book
        self.others = others
        self.language = language
        self.sa = wording.spoken_term(book)

    def next(self, answers: Sequence[str]) -> Asked | referee.Answer:
        """Give what follows these answers."""
        return referee.consult(self.book, answers, self.others)

    def follow(self, typed: Sequence[str]) -> Asked | referee.Answer:
        """Take all answers at once.

        Raises:
            InputError: one of them is not among those offered.
        """
        answers: list[str] = []
        for place, text in enumerate(typed, start=1):
            asked = self.next(answers)
            if isinstance(asked, referee.Answer):
                raise InputError(f"{text}: the book has answered before", where=f"--answers {place}")
            name = self.read(asked, text)
            if name is None:
                names = ", ".join(name for name, _ in self.choices(asked))
                raise InputError(
                    f"no such answer: {text}", where=f"--answers {place}", hint=f"one of {names}"
                )
            answers.append(name)
        return self.next(answers)

    def choices(self, asked: Asked) -> tuple[tuple[str, str], ...]:
        """Give the answers offered: name, label."""
        return wording.say_choices(asked, self.language)

    def text(self, asked: Asked) -> str:
        """Word the question."""
        return wording.say_asked(asked, self.language, sa=self.sa)

    def read(self, asked: Asked, typed: str) -> str | None:
        """Give the name of the answer that was typed (name, number in the list, yes or no), else None."""
        text = typed.strip().lower()
        if not wording.is_count(asked) and text.isascii() and text.isdigit() and len(text) < 4:
            choices = self.choices(asked)
            return choices[int(text) - 1][0] if 1 <= int(text) <= len(choices) else None
        if isinstance(asked, referee.Pick):
            plain = text.partition(".")[0]
            known = text in asked.choices or (
                asked.group is not None and plain == text and text in referee.GROUPS[asked.group]
            )
            return text if known else None
        text = _YES_NO.get(text, text) if FACTS[asked.fact][0] == "flag" else text
        return text if referee.choose(asked, text) is not None else None


def _converse(talk: _Talk, printer: "_Plain | _Json") -> int:
    answers: list[str] = []
    while True:
        asked = talk.next(answers)
        printer.show(asked)
        last = isinstance(asked, referee.Answer)
        if last and not printer.may_go_back():
            return 0
        printer.prompt(asked)
        line = sys.stdin.readline()
        typed = line.strip().lower()
        if typed in _QUIT or (last and typed not in _BACK):
            return 0
        if not line:
            return printer.ended()
        if typed in _BACK or (
            typed == "0" and not (isinstance(asked, referee.Question) and wording.is_count(asked))
        ):
            answers = answers[:-1]
        elif isinstance(asked, referee.Answer):
            return 0
        else:
            name = talk.read(asked, typed)
            if name is None:
                printer.refuse(asked, line.strip())
            else:
                answers.append(name)


class _Plain:
    """Asks and answers on a terminal."""

    def __init__(self, talk: _Talk) -> None:
        self._talk = talk
        self._language = talk.language
        self._width = min(shutil.get_terminal_size((_WIDTH, 24)).columns, _WIDTH)
        self._refused = False

    def begin(self) -> None:
        """Say whose answers these are."""
        print(say(self._language, "ask.title", book=self._talk.book.name))

    def may_go_back(self) -> bool:
        """After the ruling a person at a terminal may take his last answer back."""
        return sys.stdin.isatty()

    def show(self, asked: Asked | referee.Answer) -> None:
        """Print a question with its numbered answers, or what the books say."""
        if isinstance(asked, referee.Answer):
            print()
            for line in self._answer(asked):
                print(line)
            return
        if self._refused:
            self._refused = False
            return
        print()
        lines = self._wrapped(self._talk.text(asked), "", "  ")
        if not wording.is_count(asked):
            for number, (_, label) in enumerate(self._talk.choices(asked), start=1):
                lines += self._wrapped(label, f"{number:>4}  ", "      ")
        print("\n".join(lines))

    def prompt(self, asked: Asked | referee.Answer) -> None:
        """Say what can be typed."""
        if isinstance(asked, referee.Answer):
            text = say(self._language, "ask.hint_end")
        elif wording.is_count(asked):
            labels = " / ".join(label for _, label in self._talk.choices(asked))
            text = say(self._language, "ask.hint_number", options=labels)
        else:
            text = say(self._language, "ask.hint")
        print(text, end="", flush=True)

    def refuse(self, asked: Asked, typed: str) -> None:
        """Say in one line that this is no answer; the question stands."""
        if wording.is_count(asked):
            offered = say(self._language, "ask.offered_number")
        else:
            offered = say(self._language, "ask.offered", last=len(self._talk.choices(asked)))
        print(say(self._language, "ask.bad", typed=typed[:40], offered=offered))
        self._refused = True

    def ended(self) -> int:
        """Nobody types any more."""
        print()
        if sys.stdin.isatty():
            return 0
        raise InputError("the answers end before the book can answer", where="standard input")

    def _answer(self, answer: referee.Answer) -> Iterator[str]:
        lang, talk = self._language, self._talk
        said = wording.say_answer(answer, lang, sa=talk.sa, books=talk.others)
        for case in said.cases:
            for text in (case.condition, case.text, case.reading):
                yield from self._wrapped(text, "", "  ")
            yield say(lang, "ask.do")
            for place, step in enumerate(case.steps, start=1):
                yield from self._wrapped(step, f"{place:>3}. ", "     ")
        if said.others:
            yield ""
            yield say(lang, "ask.others")
            for other in said.others:
                yield from self._elsewhere(other)

    def _elsewhere(self, other: wording.SaidElsewhere) -> Iterator[str]:
        lang = self._language
        if len(other.told) == 1:
            told = say(lang, "ask.other", books=other.books, answer=other.told[0][1])
            yield from self._wrapped(told, "  ", "    ")
            return
        yield from self._wrapped(say(lang, "ask.other", books=other.books, answer="").rstrip(), "  ", "    ")
        for condition, text in other.told:
            yield from self._wrapped(f"{condition} {text}", "    ", "      ")

    def _wrapped(self, text: str, first: str, rest: str) -> list[str]:
        return textwrap.wrap(
            text, self._width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )


class _Json:
    """Asks and answers for machines: one JSON object a line."""

    def __init__(self, talk: _Talk) -> None:
        self._talk = talk

    def begin(self) -> None:
        """Nothing precedes the first question."""

    def may_go_back(self) -> bool:
        """The ruling is the last line."""
        return False

    def show(self, asked: Asked | referee.Answer) -> None:
        """Print a question or the answer."""
        print(_encoder.encode(self.data(asked)).decode(), flush=True)

    def prompt(self, asked: Asked | referee.Answer) -> None:
        """The question was the prompt."""

    def refuse(self, asked: Asked, typed: str) -> None:
        """Say that this is no answer; the question follows again."""
        names = [name for name, _ in self._talk.choices(asked)]
        print(_encoder.encode({"error": "bad-answer", "typed": typed, "offered": names}).decode(), flush=True)

    def ended(self) -> int:
        """Nobody writes any more."""
        raise InputError("the answers end before the book can answer", where="standard input")

    def data(self, asked: Asked | referee.Answer) -> dict[str, Any]:
        """Give a question or an answer as data."""
        talk = self._talk
        if isinstance(asked, referee.Answer):
            first = asked.cases[0]
            return {
                **self._case(asked, first),
                "incident": asked.incident,
                "facts": asked.known,
                "cases": [self._case(asked, case) for case in asked.cases[1:]],
                "others": [
                    {"books": other.books, "cases": [self._case(asked, case) for case in other.cases]}
                    for other in asked.others
                ],
            }
        name = (
            asked.fact
            if isinstance(asked, referee.Question)
            else "group"
            if asked.group is None
            else "incident"
        )
        choices = [{"name": name, "text": label} for name, label in talk.choices(asked)]
        return {"ask": name, "text": talk.text(asked), "options": choices}

    def _case(self, answer: referee.Answer, case: referee.Case) -> dict[str, Any]:
        talk, row = self._talk, case.row
        data: dict[str, Any] = {
            "ruling": row.ruling,
            "text": wording.say_row(row, talk.language, picked=answer.incident, sa=talk.sa),
            "steps": wording.say_steps(row, talk.language),
            "do": row.do,
            "article": row.article,
            "rulebook": row.rulebook,
        }
        more = {
            "when": case.when,
            "read_as": row.read_as,
            "penalty": row.penalty,
            "official": row.official,
            "reading": row.reading,
        }
        return data | {name: value for name, value in more.items() if value}
