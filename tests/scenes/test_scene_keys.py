"""The page on scene files lists every key that the schema knows, with its default and its meaning, and no other."""

import json
import re
from pathlib import Path

import pytest

from pliant.scenes import scene_model

PAGE = Path(__file__).parents[2] / "docs" / "scenes.md"
SCHEMA = scene_model().model_json_schema(by_alias=True)
# How a file writes the tables of the schema.
HEADINGS = {
    "Part": "[[part]]",
    "MaterialTable": "material of a part",
    "MaterialGroup": "groups of a material",
    "BasisTable": "basis of a part",
    "SketchedLoad": "loads of a basis",
    "BodyTable": "[[body]]",
    "PathTable": "path of a body",
    "PlaceTable": "[[place]]",
    "GroundTable": "[[ground]]",
    "ObstacleTable": "[[obstacle]]",
    "JointTable": "[[joint]]",
    "ActuateTable": "[[actuate]]",
    "MuscleTable": "muscles of a body",
    "PatchTable": "patches of a character",
    "BonesTable": "bones of a part",
    "DabTable": "paint of bones",
    "DentTable": "poses of bones",
    "DriveTable": "[[drive]]",
    "WindTable": "[wind]",
    "Push": "[[push]]",
    "KeyframeTable": "[[keyframe]]",
    "TargetTable": "targets of a keyframe",
    "KeyframesControl": '[control] with kind = "keyframes"',
    "ActuatorTable": "actuators of [control]",
    "StrikeTable": "[[strike]]",
    "HammerTable": "hammer of a strike",
    "SoundTable": "[sound]",
    "VoiceTable": "sound of a part",
    "ControlTable": '[control] with kind = "track"',
    "SteeringPatchTable": "patches of a control",
    "SteeringMuscleTable": "muscles of a control",
    "SwayTable": "sway of a control",
    "KnockTable": "knock of a control",
    "HoldTable": "[[hold]]",
    "TurnTable": "[[turn]]",
    "Probe": "[[probe]]",
    "Check": "[[check]]",
    "Published": "[published]",
    "Camera": "[camera]",
    "TreeTable": "[tree]",
    "SeamsTable": "[seams]",
    "WorldTable": "[world]",
}


def rows(table):
    """The lines of the page for the keys of a table of the schema."""
    for key, field in table["properties"].items():
        default = "required" if key in table.get("required", ()) else _written(field.get("default"))
        yield f"| `{key}` | {default} | {_meaning(field)} |"


def _written(default):
    return "" if default in (None, "", {}, []) or isinstance(default, dict) else f"`{json.dumps(default)}`"


def _meaning(field):
    words = field.get("description", "")
    choices = ", ".join(json.dumps(each) for each in field.get("enum", ()))
    inner = re.findall(r'"\$ref": "#/\$defs/(\w+)"', json.dumps(field))
    parts = (words, choices and f"one of {choices}", *(f"see {HEADINGS[name]}" for name in inner if name in HEADINGS))
    text = "; ".join(part for part in parts if part)
    assert text, f"a key has no description: {field}"
    return text.replace("|", "or")


def sections():
    """Heading and rows of every table of a file."""
    yield "the top of the file", list(rows(SCHEMA))
    for name, heading in HEADINGS.items():
        yield heading, list(rows(SCHEMA["$defs"][name]))


def test_every_table_of_the_schema_has_a_heading():
    tables = {name for name, table in SCHEMA["$defs"].items() if table.get("properties")}
    assert tables == set(HEADINGS)


@pytest.mark.parametrize(("heading", "wanted"), list(sections()), ids=lambda v: v if isinstance(v, str) else "")
def test_page_lists_the_keys_of_the_schema(heading, wanted):
    part = PAGE.read_text("utf-8").split(f"\n### {heading}\n")
    assert len(part) == 2, f"scenes.md has no section '### {heading}'; it should hold:\n" + "\n".join(wanted)
    found = [line for line in part[1].split("\n#")[0].splitlines() if line.startswith("| `")]
    assert found == wanted, "the section should hold:\n" + "\n".join(wanted)
