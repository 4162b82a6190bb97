"""Words for a terminal, as they are: nothing that comes from a file is markup or moves the cursor."""

from rich.text import Text


def plain(words: object) -> str:
    """With control characters, and what else nobody can see, written out."""
    return "".join(
        letter
        if letter.isprintable() or letter == "\n"
        else letter.encode("unicode_escape", "backslashreplace").decode()
        for letter in str(words)
    )


def shown(words: object, style: str = "") -> Text:
    """For rich to print."""
    return Text(plain(words), style)
