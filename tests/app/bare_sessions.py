"""Sessions that show a bare mesh, without a server."""

from pliant.app.bare import BareMesh
from pliant.app.session import Session
from pliant.app.stage import Stage


def staged_mesh(path):
    """One without threads that shows a file, held at its left end; what it tells is in `told`."""
    source = BareMesh.read(path, up="y", fixed="left").source().open(lambda *_: None)
    told = []
    session = Session({"rod": source}, lambda report, _: told.append(report), lambda work: work())
    session.stage = Stage("rod", source, source.first(lambda *_: None), session.new_number())
    session.told = told
    return session
