"""VegaFEM's text format .veg: vertices, tets or cubes, materials, element sets, regions, and included files."""

import warnings
from os import PathLike
from pathlib import Path
from urllib.parse import quote, unquote

import numpy as np

from pliant.errors import FileError, Ids, PliantWarning
from pliant.mesh.cell_kinds import KINDS
from pliant.mesh.files.contents import MeshContents
from pliant.mesh.files.numbered_rows import content_lines, header_counts, numbered_rows, whole_numbers
from pliant.mesh.files.paths import existing_file, replacing

MAX_INCLUDES = 64
ELEMENTS = {4: "TETS", 8: "CUBES"}
CORNERS = {"TET": 4, "TETS": 4, "CUBE": 8, "CUBES": 8, "CUBIC": 8}
ALL_CELLS = "allElements"  # the set that VegaFEM predefines

Section = tuple[list[str], list[str]]  # the words of the command line, and the lines up to the next command


def read_veg(path: Path) -> MeshContents:
    """Everything in the file; a region becomes a cell group with a material."""
    sections = _sections(path, _included_lines(path, []))
    vertex_base, vertices = _vertices(sections, path)
    cell_base, corners = _cells(sections, path)
    groups = _sets(sections, cell_base, len(corners), path)
    materials = _materials(sections, path)
    regions = _regions(sections, groups, materials, path)
    return MeshContents(vertices, corners - vertex_base, cell_groups=groups, materials=regions)


def write_veg(path: str | PathLike[str], contents: MeshContents) -> None:
    """Vertices, cells, cell groups as sets, and their materials as regions; numbered from one."""
    corners = contents.cells.shape[1]
    if corners not in ELEMENTS:
        title = KINDS[corners].title
        raise FileError(f"{path} cannot hold {title}: .veg files hold linear cells; write .vtu, or mesh.linear()")
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8") as stream:
        stream.write(f"*VERTICES\n{len(contents.vertices)} 3 0 0\n")
        np.savetxt(stream, _numbered(contents.vertices), fmt="%d %.17g %.17g %.17g")
        stream.write(f"\n*ELEMENTS\n{ELEMENTS[corners]}\n{len(contents.cells)} {corners} 0\n")
        np.savetxt(stream, _numbered(contents.cells + 1), fmt="%d")
        for name, ids in contents.cell_groups.items():
            if name != ALL_CELLS or len(ids) < len(contents.cells):
                stream.write(f"\n*SET {_word(name)}\n" + ",\n".join(map(str, ids + 1)) + "\n")
        for name, constants in contents.materials.items():
            values = ", ".join(f"{constants[key]:.17g}" for key in ("density", "young", "poisson"))
            stream.write(f"\n*MATERIAL {_word(name)}\nENU, {values}\n\n*REGION\n{_word(name)}, {_word(name)}\n")


def _included_lines(file: Path, parents: list[Path], budget: list[int] | None = None) -> list[str]:
    budget = [MAX_INCLUDES] if budget is None else budget
    budget[0] -= 1
    if file.resolve() in parents:
        raise FileError(f"{file} includes itself; remove the *INCLUDE that closes the circle")
    if budget[0] < 0:
        raise FileError(f"{file} is one of more than {MAX_INCLUDES} included files; join them into one")
    lines: list[str] = []
    for line in content_lines(existing_file(file).read_text(encoding="utf-8", errors="replace")):
        words = line.split(maxsplit=1)
        if words[0].upper() == "*INCLUDE" and len(words) == 2:
            lines += _included_lines(file.parent / words[1], [*parents, file.resolve()], budget)
        else:
            lines.append(line)
    return lines


def _sections(file: Path, lines: list[str]) -> dict[str, list[Section]]:
    sections: dict[str, list[Section]] = {}
    for line in lines:
        if line.startswith("*"):
            words = line[1:].split() or [""]
            sections.setdefault(words[0].upper(), []).append((words, []))
            current = sections[words[0].upper()][-1][1]
        elif not sections:
            raise FileError(f"{file} should begin with a command such as *VERTICES; {line[:40]!r} was found")
        else:
            current.append(line)
    return sections


def _only(sections: dict[str, list[Section]], command: str, least: int, file: Path) -> list[str]:
    lines = sections.get(command, [([], [])])[0][1]
    if len(lines) < least:
        raise FileError(f"{file} has no complete *{command} section; it is truncated or not a .veg file")
    return lines


def _vertices(sections: dict[str, list[Section]], file: Path) -> tuple[int, np.ndarray]:
    lines = _only(sections, "VERTICES", 2, file)
    count = header_counts(lines[0], 1, file)[0]
    return numbered_rows(lines[1:], count, 3, "vertices", file)


def _cells(sections: dict[str, list[Section]], file: Path) -> tuple[int, Ids]:
    lines = _only(sections, "ELEMENTS", 3, file)
    corners = CORNERS.get(lines[0].upper())
    if corners is None:
        raise FileError(f"{file} has elements of type {lines[0][:40]!r}; only TETS and CUBES can be read")
    count = header_counts(lines[1], 1, file)[0]
    base, table = numbered_rows(lines[2:], count, corners, "elements", file)
    return base, whole_numbers(table, "elements", file)


def _sets(sections: dict[str, list[Section]], base: int, count: int, file: Path) -> dict[str, Ids]:
    groups = {ALL_CELLS: np.arange(count)}
    for words, lines in sections.get("SET", []):
        if len(words) < 2:
            raise FileError(f"{file} has a *SET without a name; write *SET name")
        ids = [int(word) if word.isdecimal() and len(word) < 18 else -1 for word in " ".join(lines).split()]
        name = unquote(words[1])
        groups[name] = np.array(ids, dtype=np.int64) - base
        if ids and not (groups[name].min() >= 0 and groups[name].max() < count):
            raise FileError(f"{file} has a set {words[1]!r} that is not a list of its {count} elements; correct it")
    return groups


def _materials(sections: dict[str, list[Section]], file: Path) -> dict[str, dict[str, float]]:
    materials = {}
    for words, lines in sections.get("MATERIAL", []):
        name, fields = unquote(" ".join(words[1:])), " ".join(lines).split() or [""]
        if fields[0].upper() != "ENU":
            warnings.warn(f"{file}: material {name!r} is {fields[0]}, not ENU, and was left out", PliantWarning, 2)
            continue
        try:
            density, young, poisson = map(float, fields[1:4])
        except ValueError:
            raise FileError(f"{file} must give material {name!r} as ENU, density, young, poisson") from None
        materials[name] = {"young": young, "poisson": poisson, "density": density}
    return materials


def _regions(sections: dict[str, list[Section]], groups: dict, materials: dict, file: Path) -> dict:
    regions = {}
    for line in (line for _, lines in sections.get("REGION", []) for line in lines):
        group, material = (unquote(word.strip()) for word in line.partition(" ")[::2])
        if group not in groups:
            raise FileError(f"{file} has a region of the unknown set {group!r}; define it with *SET {group}")
        if material in materials:
            regions[group] = materials[material]
    return regions


def _numbered(rows: np.ndarray) -> np.ndarray:
    return np.column_stack([np.arange(1, len(rows) + 1), rows])


def _word(name: str) -> str:
    """A name as one word, with %20 for a space and so on where a reader would stumble."""
    if not name:
        raise FileError("a group without a name cannot be written as .veg; name it, or write .vtu")
    if name == ALL_CELLS:
        return f"%{ord(name[0]):02X}{name[1:]}"
    return "".join(c if c.isprintable() and not c.isspace() and c not in ",#%*" else quote(c, safe="") for c in name)
