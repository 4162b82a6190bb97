"""Every public name has a docstring that says what it takes, an example, and a place in the reference."""

import inspect
import re
from pathlib import Path

import pytest

import pliant as pl

REFERENCE = Path(__file__).resolve().parents[1] / "docs" / "reference"
ENTRY = re.compile(r"^::: pliant\.([\w.]+)$", re.MULTILINE)
MODULES = ("sdf", "shapes")
# What a reader knows without being told: the thing itself, named by its type.
SPEAKS_FOR_ITSELF = {"solid", "mesh", "system", "systems", "recording", "path", "material", "surface", "name"}


def entries():
    """Names after `:::` on all pages of the reference."""
    return [name for page in sorted(REFERENCE.glob("*.md")) for name in ENTRY.findall(page.read_text("utf-8"))]


def public_callables():
    """Names of pliant and functions of its public modules."""
    for name in pl.__all__:
        thing = getattr(pl, name)
        if name in MODULES:
            for inner in getattr(thing, "__all__", [n for n in vars(thing) if not n.startswith("_")]):
                member = getattr(thing, inner)
                if inspect.isfunction(member) and member.__module__.startswith(thing.__name__):
                    yield f"{name}.{inner}", member
        else:
            yield name, thing


def parameters(thing):
    """Of a function or a constructor; none of those that only errors take."""
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        return []
    kept = [p for name, p in inspect.signature(thing).parameters.items() if name not in ("self", "cls")]
    return [p.name for p in kept if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def words(thing):
    """Its docstring, that of its constructor, and those of the classes it builds on."""
    classes = [c for c in thing.__mro__ if c.__module__.startswith("pliant")] if inspect.isclass(thing) else [thing]
    return "\n".join(
        filter(None, (text for each in classes for text in (each.__doc__, getattr(each.__init__, "__doc__", ""))))
    )


@pytest.mark.parametrize(("name", "thing"), list(public_callables()), ids=lambda v: v if isinstance(v, str) else "")
def test_docstring_says_what_it_is_and_takes(name, thing):
    text = words(thing)
    assert (thing.__doc__ or "").strip(), f"{name} has no docstring"
    known = set(re.findall(r"\w+", text))
    silent = [p for p in parameters(thing) if p not in known and p not in SPEAKS_FOR_ITSELF]
    assert not silent, f"{name} does not say what {', '.join(silent)} is"


def test_reference_has_every_public_name_once():
    found = [name for name in entries() if name.count(".") == 0]
    assert sorted(found) == sorted(pl.__all__)


def test_every_entry_of_the_reference_has_an_example():
    """The block of Python after it, which the suite runs, says its name."""
    for page in sorted(REFERENCE.glob("*.md")):
        for entry in page.read_text("utf-8").split("\n::: pliant.")[1:]:
            name, _, rest = entry.partition("\n")
            if "." not in name:
                assert re.search(rf"```python\n(.|\n)*\b({name}|{name.lower()})\b", rest), f"{name} has no example"
