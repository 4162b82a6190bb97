"""The command line: demo, view, run, build, compare, export, scenes, warm.

Each command loads what it needs by itself, so that help, completion and the version are there at once.
"""

import json
import math
import sys
import warnings
import webbrowser
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Column, Table

import pliant
from pliant.app.options import (
    METHOD_NAMES,
    Density,
    Fixed,
    Floor,
    Keep,
    MaterialName,
    Parts,
    Pieces,
    Poisson,
    Scale,
    Unit,
    Up,
    Young,
)
from pliant.app.wording import shown
from pliant.errors import ArgumentError, PliantError

if TYPE_CHECKING:
    from pliant.app.sources import SceneSource
    from pliant.app.terminal import Terminal
    from pliant.basis import SizeReport
    from pliant.scenes import Scene

app = typer.Typer(
    name="pliant",
    help="Deformable solids in a small subspace, simulated in real time.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
out, err = Console(), Console(stderr=True)

Source = Annotated[str, typer.Argument(help="a gallery scene, a scene file (.toml), or a mesh or surface file")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="say nothing but errors")]
WRITTEN = ".glb .vtu .pvd .npz .usdc .html .png .gif .mp4 .webm .wav; frame-%04d.png: a picture a frame"
Json = Annotated[bool, typer.Option("--json", help="say it in JSON")]
Seconds = Annotated[
    float | None, typer.Option("--seconds", "-s", min=0.0, max=1e5, help="simulated time; the scene's by default")
]
Host = Annotated[str, typer.Option(help="address to listen on; others can reach it unless it is loopback")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="only print the address")]


def _scenes_like(begun: str) -> list[str]:
    """For shells: the gallery scenes whose names begin so."""
    shelf = resources.files("pliant") / "scenes" / "gallery"
    names = sorted(entry.name.removesuffix(".toml") for entry in shelf.iterdir() if entry.name.endswith(".toml"))
    return [name for name in names if name.startswith(begun)]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"pliant {pliant.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="say which pliant this is")
    ] = False,
) -> None:
    """Deformable solids in a small subspace, simulated in real time."""


def say(quiet: bool, as_json: bool, text: str, **facts: Any) -> None:
    """A line for a person, or the facts for a program."""
    if as_json:
        print(json.dumps(facts))
    elif not quiet:
        out.print(shown(text), highlight=False, soft_wrap=True)


@app.command()
def demo(
    scene: Annotated[
        str | None,
        typer.Argument(help="a gallery scene; without one, the page lets you choose", autocompletion=_scenes_like),
    ] = None,
    port: Port = 0,
    host: Host = "127.0.0.1",
    no_browser: NoBrowser = False,
    quiet: Quiet = False,
) -> None:
    """Touch a simulation: builds it, serves it, opens the browser."""
    from pliant.app.showing import source_of
    from pliant.app.terminal import Terminal
    from pliant.scenes import load_scene

    chosen = load_scene(scene or "spoon")
    query = "" if scene else "?gallery"
    _show(chosen.name, source_of(chosen), port, host, no_browser, Terminal(err, quiet), query)


@app.command()
def view(
    source: Source,
    port: Port = 0,
    host: Host = "127.0.0.1",
    no_browser: NoBrowser = False,
    quiet: Quiet = False,
    parts: Parts = None,
    pieces: Pieces = False,
    scale: Scale = None,
    unit: Unit = None,
    up: Up = None,
    fixed: Fixed = None,
    material: MaterialName = None,
    young: Young = None,
    poisson: Poisson = None,
    density: Density = None,
    keep: Keep = None,
    floor: Floor = None,
    save: Annotated[Path | None, typer.Option(help="write what is shown as a scene file, .toml, as well")] = None,
) -> None:
    """Touch a scene or a mesh in the browser."""
    from pliant.app.bare import BareMesh
    from pliant.app.opening import is_scene, open_pieces
    from pliant.app.showing import source_of
    from pliant.app.terminal import Terminal
    from pliant.scenes import load_scene
    from pliant.scenes.saving import check_scene_ending

    of_mesh = {"parts": parts, "scale": scale, "unit": unit, "up": up, "fixed": fixed, "material": material}
    constants = {"young": young, "poisson": poisson, "density": density}
    others = {"keep": keep, "floor": floor}
    given = {**of_mesh, **constants, **others}
    whole = is_scene(source, {"pieces": pieces or None, **given})
    if whole or pieces:
        scene = load_scene(source) if whole else open_pieces(source, given)
        _tell_assumed(scene, quiet, save)
        _show(scene.name, source_of(scene), port, host, no_browser, Terminal(err, quiet))
        return
    if save is not None:
        check_scene_ending(save)
    mesh, terminal = BareMesh.read(Path(source), **given), Terminal(err, quiet)

    def opened(scene: "Scene") -> None:
        terminal.rest()
        _tell_assumed(scene, quiet, save)

    _show(mesh.path.name, mesh.source(opened), port, host, no_browser, terminal)


def _show(
    name: str, source: "SceneSource", port: int, host: str, no_browser: bool, terminal: "Terminal", query: str = ""
) -> None:
    """Serve a source, open the browser, and build it there."""
    from pliant.app.live import Live
    from pliant.app.network import network_address
    from pliant.app.qr_code import terminal_code
    from pliant.app.server import serve
    from pliant.app.showing import with_gallery
    from pliant.app.warming import start_warming

    def ready(address: str) -> None:
        print(f"pliant is at {address}{query} (Ctrl-C stops it)", flush=True)
        others = network_address(address, host)
        if others is not None:
            code = terminal_code(others + query) if sys.stdout.isatty() else None
            print(f"others on this network find it at {others}{query}", *([code] if code else []), sep="\n", flush=True)
        if not no_browser:
            webbrowser.open(address + query)

    live, warming = Live(with_gallery(name, source)), start_warming()
    live.listen(terminal)
    try:
        serve(live, host, port, ready)
    finally:
        warming.terminate()


def _tell_assumed(scene: "Scene", quiet: bool, save: Path | None) -> None:
    """What was guessed of a bare mesh, and where it is written down."""
    for note in scene.notes:
        say(quiet, False, f"{scene.name}: {note}")
    if save is not None:
        scene.save(save)
        say(quiet, False, f"{save}: {scene.title}, to be changed and opened again")
    elif scene.notes:
        say(quiet, False, "change it with --unit --up --fixed --material --young ..., keep it with --save scene.toml")


@app.command()
def run(
    source: Source,
    output: Annotated[Path, typer.Option("--output", "-o", help=WRITTEN)],
    seconds: Seconds = None,
    fps: Annotated[float, typer.Option(min=1.0, max=1000.0, help="frames a second")] = 60.0,
    size: Annotated[str | None, typer.Option(help="of pictures and films, such as 1280x720 [pixels]")] = None,
    spectrogram: Annotated[Path | None, typer.Option(help="a picture of its sound as well, .png .svg or .pdf")] = None,
    quiet: Quiet = False,
    json_: Json = False,
) -> None:
    """Simulate a scene and write what happened."""
    from pliant.app.opening import open_scene
    from pliant.app.progress import progress_bar
    from pliant.app.running import picture_size, record_scene
    from pliant.export import DRAWN, HEARD, allowed_error, check_suffix, write

    drawn, heard = check_suffix(output) in DRAWN, check_suffix(output) in (*HEARD, ".npz") or spectrogram is not None
    options = {} if size is None else {"size": picture_size(size, output, drawn)}
    scene = open_scene(source)
    with progress_bar(quiet or json_) as progress:
        recording = record_scene(scene, seconds, fps, progress, heard)
        if spectrogram is not None:
            _draw_sound(spectrogram, recording)
        write(recording, output, **options, **({"progress": progress} if drawn else {}))
    within = allowed_error(recording) if output.suffix.lower() == ".glb" else 0.0
    say(
        quiet,
        json_,
        f"{output}: {len(recording.times)} frames of {scene.title}"
        + (f", within {1e3 * within:.2g} mm" * (within > 0)),
        output=str(output),
        frames=len(recording.times),
        seconds=float(recording.times[-1]),
        error=within,
    )


def _draw_sound(path: Path, recording: Any) -> None:
    from pliant.export.plot import check_ending
    from pliant.sound import write_spectrogram

    check_ending(path)
    if recording.sound is None:
        raise ArgumentError(f"{recording.name} has no sound to draw; give a part of it sound = {{ damping = 'steel' }}")
    write_spectrogram(path, recording.sound.samples, recording.sound.rate, title=recording.name)


@app.command()
def build(
    sources: Annotated[list[str], typer.Argument(help="as for view")],
    report: Annotated[
        Path | None, typer.Option(help="error over size of a basis chosen for a tolerance, .png .svg or .pdf")
    ] = None,
    quiet: Quiet = False,
    json_: Json = False,
) -> None:
    """Build scenes ahead of time; the results stay in the cache."""
    from pliant.app.opening import open_scene
    from pliant.app.progress import progress_bar

    for source in sources:
        scene = open_scene(source)
        with progress_bar(quiet or json_) as progress:
            system = scene.build(progress)
        count, measured = system.size, system.report
        error = "" if measured is None else f", estimated error {100 * measured.error:.2g} %"
        say(quiet, json_, f"{scene.title}: {count} coordinates{error}", scene=scene.name, coordinates=count)
        if report is not None:
            _draw_report(report, scene, measured)


def _draw_report(path: Path, scene: "Scene", measured: "SizeReport | None") -> None:
    from pliant.export.plot import draw_sizes

    if measured is None:
        raise ArgumentError(
            f"{scene.name} has no basis that was chosen for a tolerance; give part.basis or seams a tolerance"
        )
    draw_sizes(path, measured)


@app.command()
def compare(
    source: Source,
    with_: Annotated[
        str | None,
        typer.Option(
            "--with",
            help=f"{', '.join(METHOD_NAMES)}; the first is the truth",
        ),
    ] = None,
    seconds: Seconds = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="the plot, .png .svg or .pdf")] = None,
    quiet: Quiet = False,
    json_: Json = False,
) -> None:
    """Run a scene on several models: errors, frequencies and speeds in a table, and a plot."""
    from pliant.app.comparison import compare as run_all
    from pliant.app.comparison_methods import usual_methods
    from pliant.app.comparison_report import comparison_table, draw_comparison
    from pliant.app.opening import open_scene
    from pliant.app.progress import progress_bar
    from pliant.export.plot import check_ending

    scene = open_scene(source)
    path = output or Path(f"{scene.name}-comparison.png")
    check_ending(path)
    methods = [name.strip() for name in with_.split(",")] if with_ else usual_methods(scene)
    with progress_bar(quiet or json_) as progress:
        outcomes = run_all(scene, methods, seconds, progress)
    rows = comparison_table(scene, outcomes)
    if json_:
        print(json.dumps([{key: _number(value) for key, value in row.items()} for row in rows]))
    elif not quiet:
        table = Table("", *(Column(shown(name)) for name in methods), title=shown(scene.title))
        for key in list(rows[0])[1:]:
            table.add_row(*(shown(word) for word in (key, *(_cell(row[key]) for row in rows))))
        out.print(table)
    draw_comparison(scene, outcomes, path)
    say(quiet or json_, False, f"the curves are in {path}")


def _number(value: Any) -> Any:
    """JSON has no nan."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


@app.command()
def export(
    source: Source,
    output: Annotated[Path, typer.Argument(help=".pliant the reduced model; .vtu .msh .mesh .veg the rest mesh")],
    quiet: Quiet = False,
    json_: Json = False,
) -> None:
    """Write what a scene is made of: its reduced model or its mesh."""
    from pliant.app.opening import open_scene
    from pliant.app.progress import progress_bar

    scene = open_scene(source)
    if output.suffix == ".pliant":
        with progress_bar(quiet or json_) as progress:
            model = scene.build(progress).settings.get("model")
        if model is None:
            raise ArgumentError(f"{scene.name} has no reduced model: its system is {scene.file.system}")
        model.save(output)
    else:
        scene.mesh.write(output)
    say(quiet, json_, f"{output}: {scene.title}", output=str(output))


@app.command()
def scenes(
    check: Annotated[bool, typer.Option("--check", help="run them and see whether their claims hold")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="print the JSON Schema of scene files, for editors")] = False,
    json_: Json = False,
) -> None:
    """List the gallery."""
    from pliant.scenes import gallery, load_scene, scene_model

    if schema:
        print(json.dumps(scene_model().model_json_schema(), indent=2))
        return
    rows, failed = [], False
    for name in gallery():
        scene = load_scene(name)
        row: dict[str, Any] = {"name": name, "title": scene.title, "claim": scene.claim}
        if check:
            verdicts = scene.verify(scene.watch(scene.build()))
            row["checks"] = [str(verdict) for verdict in verdicts]
            row["holds"] = all(verdict.holds for verdict in verdicts)
            failed |= not row["holds"]
        rows.append(row)
    if json_:
        print(json.dumps(rows))
    else:
        for row in rows:
            mark = [] if not check else [shown("holds ", "green") if row["holds"] else shown("fails ", "red")]
            out.print(*mark, shown(row["name"], "bold"), shown(f"  {row['claim']}"), sep="", highlight=False)
    if failed:
        raise typer.Exit(1)


@app.command()
def warm(quiet: Quiet = False) -> None:
    """Compile ahead what systems will run, so that the first scene starts at once; the results stay on this machine."""
    from pliant.app.progress import progress_bar
    from pliant.app.warming import warm as compile_ahead

    with progress_bar(quiet) as progress:
        compile_ahead(progress=progress)
    say(quiet, False, "all kinds of systems are compiled")


def _tell(style: str, words: object) -> None:
    err.print(shown("pliant:", style), shown(f" {words}"), sep="", highlight=False, soft_wrap=True)


def _tell_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _tell("yellow", message)


def main() -> None:
    """Entry point: errors are one sentence on standard error, and exit code 1; Ctrl-C is 130."""
    warnings.showwarning = _tell_warning
    try:
        app()
    except PliantError as reason:
        _tell("red", reason)
        sys.exit(1)
    except MemoryError:
        _tell("red", "this does not fit into memory; ask for fewer frames, cells or vectors")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
