"""Copies three.js from node_modules into the page: `npm ci && python -m pliant.app.vendor`."""

import sys
from pathlib import Path

WEB = Path(__file__).parent / "web"
FILES = {
    "build/three.module.js": "three.module.js",
    "build/three.core.js": "three.core.js",
    "examples/jsm/controls/OrbitControls.js": "OrbitControls.js",
    "LICENSE": "LICENSE",
}


def copy_three(node_modules: Path, target: Path = WEB / "vendor") -> None:
    """The modules that the page imports; bare imports become relative, so that no import map is needed."""
    target.mkdir(exist_ok=True)
    for source, name in FILES.items():
        text = (node_modules / "three" / source).read_text(encoding="utf-8")
        (target / name).write_text(text.replace("from 'three'", "from './three.module.js'"), encoding="utf-8")


def main() -> None:
    """Look for node_modules where npm puts it: beside package.json."""
    node_modules = Path.cwd() / "node_modules"
    if not (node_modules / "three").is_dir():
        sys.exit("three.js is not there; run npm ci beside package.json first")
    copy_three(node_modules)


if __name__ == "__main__":
    main()
