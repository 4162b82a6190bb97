"""The scene file with the tables of all kinds of systems that are known now, and what each of them accepts."""

from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, Field, create_model, model_validator

from pliant.scenes.choices import known_name, listed_in
from pliant.scenes.kinds import SYSTEMS, Kind
from pliant.scenes.place_tables import OF_WORLDS
from pliant.scenes.schema import OF_WORLDS as MEASURED_OF_WORLDS
from pliant.scenes.schema import SceneFile

OF_PARTS = ("assembly", "rigid", "bones")
TABLES = ("hold", "turn", "place", "ground", "obstacle", "joint", "actuate", "drive")


class CheckedScene(SceneFile):
    """A scene file whose kinds of systems are known and can do what it asks for."""

    system: Annotated[str, AfterValidator(known_name(SYSTEMS))] = Field(
        "clamped", description="the kind of system", json_schema_extra=listed_in(SYSTEMS)
    )

    @model_validator(mode="after")
    def _its_kinds_can_do_it(self) -> "CheckedScene":
        for number, body in enumerate(self.body):
            if body.system is not None:
                _named(f"body[{number}].system", body.system)
        own = [self.system] if SYSTEMS[self.system].whole is not None else []
        kinds = [SYSTEMS[name] for name in dict.fromkeys([*own, *self.kinds])]
        _check_spaces(self, kinds)
        for key in sorted(set().union(*(kind.accepts for kind in SYSTEMS.values()))):
            if _says(self, key) and not any(key in kind.accepts for kind in kinds):
                raise ValueError(_refusal(key))
        for kind in kinds:
            if kind.check is not None:
                kind.check(self)
        return self


def scene_model() -> type[SceneFile]:
    """What a scene file may say now."""
    return _model_of(tuple(SYSTEMS.values()))


@lru_cache(maxsize=8)
def _model_of(kinds: tuple[Kind, ...]) -> type[SceneFile]:
    tables: dict[str, Any] = {
        kind.name: (kind.table, Field(default_factory=kind.table)) for kind in kinds if kind.table is not None
    }
    return create_model("SceneFile", __base__=CheckedScene, **tables)


def _named(place: str, name: str) -> None:
    try:
        known_name(SYSTEMS)(name)
    except ValueError as reason:
        raise ValueError(f"{place} {reason}") from None


def _check_spaces(scene: SceneFile, kinds: list[Kind]) -> None:
    """Bodies in one space are of the kind of the scene, or of those that it hosts, and only they have keys for it."""
    shared = [kind for kind in (SYSTEMS[scene.system], *kinds) if kind.whole is not None]
    at_home = SYSTEMS[scene.system].whole is not None
    if shared and any(kind.name != scene.system and not (at_home and kind.visits) for kind in kinds):
        guests = ", ".join(f'"{name}"' for name, kind in sorted(SYSTEMS.items()) if kind.visits)
        raise ValueError(f'bodies of system = "{shared[0].name}" share a space; body.system may be {guests} there')
    for number, body in enumerate(scene.body):
        own = [key for key in OF_WORLDS if key in body.model_fields_set]
        if own and not shared:
            takers = " or ".join(f'system = "{kind.name}"' for kind in SYSTEMS.values() if kind.whole is not None)
            raise ValueError(f"body[{number}].{own[0]} is for {takers}")
    if not shared and (asked := [check.measure for check in scene.check if check.measure in MEASURED_OF_WORLDS]):
        raise ValueError(f'measure = "{asked[0]}" is of bodies that share a space')


def _says(scene: SceneFile, key: str) -> bool:
    """Does the file ask for this, other than by the default?"""
    if key in OF_PARTS:
        return any(getattr(part, key) for part in scene.part)
    return bool(getattr(scene, key) != _default(type(scene), key))


@lru_cache(maxsize=256)
def _default(model: type[SceneFile], key: str) -> Any:
    return model.model_fields[key].get_default(call_default_factory=True)


def _refusal(key: str) -> str:
    takers = " or ".join(f'system = "{kind.name}"' for kind in SYSTEMS.values() if key in kind.accepts)
    subject = f"[[{key}]] tables are" if key in TABLES else f"{key} is"
    return f"{subject} for {takers}"
