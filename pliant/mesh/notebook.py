"""What notebooks show: a picture and a small table of facts, as one piece of HTML that needs nothing else."""

import html
from collections.abc import Mapping

from pliant.errors import Array, Ids
from pliant.mesh.portrait import portrait

STYLE = "display:flex;gap:1em;align-items:center;flex-wrap:wrap"


def card(title: str, facts: Mapping[str, object], picture: str) -> str:
    """A picture, an HTML element, beside a table of facts."""
    rows = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th><td>{html.escape(str(fact))}</td></tr>'
        for name, fact in facts.items()
    )
    heading = f'<caption style="text-align:left"><b>{html.escape(title)}</b></caption>'
    return f'<div style="{STYLE}">{picture}<table>{heading}{rows}</table></div>'


def surface_card(
    title: str, facts: Mapping[str, object], x: Array, triangles: Ids, colours: Array | None = None
) -> str:
    """A card with the portrait of a surface."""
    return card(title, facts, portrait(x, triangles, colours))


def framed(page: str, height: int = 420) -> str:
    """A whole page in a frame of its own, shut off from the notebook."""
    settings = 'sandbox="allow-scripts" style="width:100%;border:0" loading="lazy"'
    return f'<iframe srcdoc="{html.escape(page)}" height="{height}" {settings}></iframe>'


def metres(low_high: Array) -> str:
    """The extent of a box (2, 3), for people."""
    return " x ".join(f"{length:.4g}" for length in low_high[1] - low_high[0]) + " m"
