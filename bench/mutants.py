"""Wrong lines that tests should notice: `python -m bench.mutants COUNT [SEED] [ROOM ..]`, and a table of survivors.

Each mutant is one changed operator or number in a copy of the package: signs, factors, off by one, strictness, a lost
transpose. The tests that name its module run on the copy; a mutant that they all pass survives, but for those that
`equivalent_mutants` proves to compute the same.
"""

import ast
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bench.equivalent_mutants import EQUIVALENT
from bench.timing import table

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("systems", "reduced", "skin", "export")
SECONDS = 900  # of processor time of the tests of a mutant; what does not end is noticed, what waits for others is not
OWN_FILES, MOST_FILES = 2, 8  # of tests: of its room those that are nearest to its module, and of all
NOT_RUN = (3, 4, 5)  # pytest: an error inside, of its arguments, no tests
SWAPS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.MatMult: "*"}
COMPILED = re.compile(r"njit|implements|borrowing|counting|merged|inner|specialised|intrinsic|overload")
STRICTER = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}


class Mutant(NamedTuple):
    """A line of a module, as it is and as it is made."""

    module: Path
    line: int
    before: str
    after: str


def mutants_of(module: Path) -> Iterator[Mutant]:
    """All of a module."""
    text = module.read_text()
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        for begin, end, new in _changes(node, lines):
            line = lines[node.lineno - 1]
            yield Mutant(module, node.lineno, line, line[:begin] + new + line[end:])


def _changes(node: ast.AST, lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """Columns of the line of a node, and what comes in their place."""
    if (
        isinstance(node, ast.BinOp)
        and type(node.op) in SWAPS
        and node.left.end_lineno == node.right.lineno == node.lineno
    ):
        yield from _operator(lines, node.left, node.right, SWAPS[type(node.op)])
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in STRICTER and node.end_lineno == node.lineno:
        yield from _operator(lines, node.left, node.comparators[0], STRICTER[type(node.ops[0])])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield node.col_offset, node.col_offset + 1, ""
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.end_lineno == node.lineno:
        new = 1.0 if node.value in (0.5, 2.0) and isinstance(node.value, float) else node.value + 1
        yield node.col_offset, node.end_col_offset or 0, repr(new)
    elif isinstance(node, ast.Attribute) and node.attr == "T" and node.end_lineno == node.lineno:
        yield (node.end_col_offset or 0) - 2, node.end_col_offset or 0, ""


def _operator(lines: list[str], left: ast.expr, right: ast.expr, new: str) -> Iterator[tuple[int, int, str]]:
    """The sign between two operands, brackets around them left as they are."""
    if left.end_lineno != right.lineno:
        return
    begin, end = left.end_col_offset or 0, right.col_offset
    between = lines[right.lineno - 1][begin:end]
    found = re.search(r"[-+*/@<>=]+", between)
    if found:
        yield begin + found.start(), begin + found.end(), new


def chosen(count: int, seed: int, rooms: tuple[str, ...]) -> list[Mutant]:
    """As many of each room."""
    draw, picked = random.Random(seed), []
    for room in rooms:
        modules = sorted((ROOT / "pliant" / room).rglob("*.py"))
        some = [mutant for module in modules for mutant in mutants_of(module) if "__all__" not in mutant.before]
        picked += draw.sample(some, min(len(some), -(-count // len(rooms))))
    return picked[:count]


def related_tests(module: Path, copy: Path) -> list[str]:
    """Files of tests of a copy: of its room, that import or name it, and any that import what is nearest to it."""
    words, room = {module.stem, module.parent.name}, module.relative_to(ROOT / "pliant").parts[0]
    title = _title(module)
    texts = {
        file: file.read_text() for file in sorted((copy / "tests").rglob("test_*.py")) if file.parent.name != "app"
    }
    above = _importers(module, ROOT, packages=False)
    near = {one.stem: far for one, far in reversed(above.items())} | {module.stem: 0}  # the nearest of a name
    titles = {_title(one): far for one, far in above.items()} | {title: 0}

    def named(file: Path) -> tuple[bool, bool, int]:
        often = sum(texts[file].count(word) for word in words)
        return title not in texts[file], module.stem not in file.stem, -often

    def close(file: Path) -> tuple[float, float]:
        steps = min((far for name, far in titles.items() if name in texts[file]), default=np.inf)
        return steps, -sum(3.0**-far * _mentions(name, file, texts[file]) for name, far in near.items())

    own = sorted((file for file in texts if (copy / "tests" / room) in file.parents), key=named)
    picked = dict.fromkeys([*own[:OWN_FILES], *sorted(texts, key=close)])
    return [str(file.relative_to(copy)) for file in [*picked][:MOST_FILES]]


def _title(module: Path) -> str:
    return ".".join(module.relative_to(ROOT).with_suffix("").parts)


def _mentions(name: str, file: Path, text: str) -> int:
    """How much a file of tests has to do with a module."""
    return 5 * (name in file.stem) + min(5, len(re.findall(rf"\b{name}\b", text)))


def noticed_by(mutant: Mutant, copy: Path) -> str | None:
    """The test that fails, or that does not end; None: all pass."""
    plain = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command = [sys.executable, *plain, *related_tests(mutant.module, copy)]
    environment = {
        **os.environ,
        "PYTHONPATH": str(copy),
        "OPENBLAS_NUM_THREADS": "1",
        "PLIANT_CACHE": str(copy / "cache"),
    }
    with _made(mutant, copy):
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, check=False, preexec_fn=_limit_processor
        )
        if done.returncode == -signal.SIGXCPU:
            return f"tests that take more than {SECONDS} s"
        if done.returncode in NOT_RUN:
            raise RuntimeError(f"pytest could not run: {done.stdout.decode(errors='replace')[-500:]}")
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout.decode(errors="replace"), re.MULTILINE)
        return None if done.returncode == 0 else failed[1] if failed else f"pytest, which ends with {done.returncode}"


@contextmanager
def _made(mutant: Mutant, copy: Path) -> Iterator[None]:
    """Within, the line is changed; what was compiled of the right one lies aside, and comes back."""
    target = copy / mutant.module.relative_to(ROOT)
    whole, times = target.read_text(), target.stat()
    lines = whole.splitlines(keepends=True)
    lines[mutant.line - 1] = mutant.after + "\n"
    stale = _stale(target, copy) if _is_compiled(mutant, whole) else [target]
    with tempfile.TemporaryDirectory() as aside:
        kept = [(path, Path(aside) / str(number)) for number, path in enumerate(_compiled(stale))]
        for path, place in kept:
            shutil.move(path, place)
        target.write_text("".join(lines))
        try:
            yield
        finally:
            target.write_text(whole)
            os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
            for path in _compiled(stale):
                path.unlink()
            for path, place in kept:
                shutil.move(place, path)


def _compiled(modules: list[Path]) -> list[Path]:
    return [path for module in modules for path in module.parent.glob(f"__pycache__/{module.stem}.*.nb[ic]")]


def _is_compiled(mutant: Mutant, text: str) -> bool:
    """May compiled code hold the line: of a compiled function, or a number that others import?"""
    return bool(COMPILED.search(text)) or not mutant.before.startswith(" ")


def _limit_processor() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 10))


def _stale(module: Path, copy: Path) -> list[Path]:
    """Modules that may hold compiled code of it: importers, and generic functions that call what these register."""
    found = [module, *_importers(module, copy)]
    if any("@implements" in each.read_text() for each in found):
        generic = [each for each in (copy / "pliant").rglob("*.py") if "@specialised" in each.read_text()]
        found += [each for one in generic for each in (one, *_importers(one, copy))]
    return list(dict.fromkeys(found))


def _importers(module: Path, root: Path, packages: bool = True) -> dict[Path, int]:
    """Modules of a tree that stand on one, and how many imports away; packages: also through their `__init__`."""
    texts = {other: other.read_text() for other in (root / "pliant").rglob("*.py")}
    texts = {other: text for other, text in texts.items() if packages or other.name != "__init__.py"}
    found, rim = {module: 0}, [module]
    for near in rim:
        name = re.escape(".".join(near.relative_to(root).with_suffix("").parts))
        new = [other for other, text in texts.items() if other not in found and re.search(rf"\b{name}\b", text)]
        found |= dict.fromkeys(new, found[near] + 1)
        rim += new
    del found[module]
    return found


def main(count: int, seed: int, rooms: tuple[str, ...]) -> None:
    rows, picked = [], chosen(count, seed, rooms)
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for part in ("pliant", "tests", "docs", "examples", "bench"):
            shutil.copytree(ROOT / part, copy / part)
        for file in ("pyproject.toml", "README.md", "CHANGELOG.md"):
            shutil.copy2(ROOT / file, copy / file)
        for number, mutant in enumerate(picked):
            by = noticed_by(mutant, copy)
            place = f"{mutant.module.relative_to(ROOT)}:{mutant.line}"
            same = EQUIVALENT.get((mutant.before.strip(), mutant.after.strip())) if by is None else None
            found = f"noticed by {by}" if by else f"is no mutant: {same}" if same else "SURVIVES"
            print(f"{number + 1}/{len(picked)} {place} {found}", flush=True)
            if by is None and same is None:
                rows.append({"where": place, "is": mutant.before.strip()[:60], "made": mutant.after.strip()[:60]})
    print(table(rows) if rows else "no survivors")
    print(f"{len(rows)} of {len(picked)} survive ({100 * len(rows) / max(1, len(picked)):.0f} %), seed {seed}")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 200, int(given[1]) if len(given) > 1 else 0, tuple(given[2:]) or ROOMS)
