"""Orders, rulings and questions in the words of dealers and players, in every language of ``locales``.

``lang`` is the code of a catalogue, ``"fr"`` or ``"en"``. Nothing here names a card that lies
face down: a card is named only where the order or ruling has it and everybody can see it.

>>> from engine.rulings import Order
>>> say_order(Order("burn"), "fr"), say_order(Order("deal", to="seat4"), "en")
('Brûlez une carte', 'Deal the top card to seat 4')
>>> short_order(Order("act", seat=5, options=("fold", "call", "raise"), call=200, min=400, max=5000), "fr")
('Siège 5 : à lui de parler — payer 200,', 'relancer de 400 à 5 000')
"""

from engine.wording.consulting import (
    SaidAnswer,
    SaidCase,
    SaidElsewhere,
    is_count,
    say_answer,
    say_asked,
    say_choices,
    spoken_term,
)
from engine.wording.orders import say_announce, say_order, unworded
from engine.wording.panel import short_order
from engine.wording.play import say_action, say_phase, say_place, say_street
from engine.wording.questions import ask_options, ask_text, question_text, say_fact
from engine.wording.referee import (
    say_books,
    say_conditions,
    say_group,
    say_option,
    say_pick,
    say_reading,
    say_row,
    say_rulings,
    say_step,
    say_steps,
)
from engine.wording.rulings import say_book, say_incident, say_penalty, say_ruling, say_ruling_name
from engine.wording.voice import (
    LANGUAGES,
    NotWorded,
    UnknownLanguage,
    say_amount,
    say_card,
    say_substantial_action,
)

__all__ = [
    "LANGUAGES",
    "NotWorded",
    "SaidAnswer",
    "SaidCase",
    "SaidElsewhere",
    "UnknownLanguage",
    "ask_options",
    "ask_text",
    "is_count",
    "question_text",
    "say_action",
    "say_amount",
    "say_announce",
    "say_answer",
    "say_asked",
    "say_book",
    "say_books",
    "say_card",
    "say_choices",
    "say_conditions",
    "say_fact",
    "say_group",
    "say_incident",
    "say_option",
    "say_order",
    "say_penalty",
    "say_phase",
    "say_pick",
    "say_place",
    "say_reading",
    "say_row",
    "say_ruling",
    "say_ruling_name",
    "say_rulings",
    "say_step",
    "say_steps",
    "say_street",
    "say_substantial_action",
    "short_order",
    "spoken_term",
    "unworded",
]
