"""Names and constants that scene files may use, looked up in tables that grow: checked when a file is read."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any


def known_name(choices: Mapping[str, Any]) -> Callable[[str], str]:
    """A validator: a name that is in the table now."""

    def checked(name: str) -> str:
        if name not in choices:
            *most, last = (f"'{choice}'" for choice in choices)
            listed = f"{', '.join(most)} or {last}" if most else last
            raise ValueError(f"should be {listed}; {name!r} was given{suggestion(name, choices)}")
        return name

    return checked


def listed_in(choices: Mapping[str, Any]) -> Callable[[dict[str, Any]], None]:
    """For the JSON Schema: the names that are in the table now."""
    return lambda schema: schema.update(enum=list(choices))


def suggestion(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, as the end of a sentence."""
    close = get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


@lru_cache(maxsize=256)
def parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """What a function or class can be called with, by name."""
    return inspect.signature(function).parameters


def is_many(parameter: inspect.Parameter) -> bool:
    """Is it *arguments or **options?"""
    return parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)


def takes_any(function: Callable[..., Any]) -> bool:
    """Does it take whatever it is given?"""
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters(function).values())


def check_taken(
    name: str, function: Callable[..., Any], given: Iterable[str], common: Iterable[str], reserved: Iterable[str] = ()
) -> None:
    """All keys are parameters of what they are for; `common` ones are keys anyway, `reserved` ones never are."""
    hidden = {*common, *reserved}
    known = [key for key, each in parameters(function).items() if key not in hidden and not is_many(each)]
    for key in given:
        if key in reserved or (key not in known and not takes_any(function)):
            hint = suggestion(key, [*common, *known])
            others = f"; it takes {', '.join(known)}" if known else "; it has no keys of its own"
            raise ValueError(f"{name} does not know {key}{hint or others}")
