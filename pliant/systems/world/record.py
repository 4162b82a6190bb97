"""All that the steps of a world read and write, as one record that compiled code takes members of by number."""

from typing import NamedTuple

import numpy as np

from pliant.collide import Contacts, Fields, Selves, Surfaces
from pliant.errors import Array, Ids
from pliant.systems.wind import WindField
from pliant.systems.world.actuating import ActuatorTable
from pliant.systems.world.bones.culling import SkinSpheres
from pliant.systems.world.bones.muscles import MuscleTable
from pliant.systems.world.bones.skin_table import SkinTable
from pliant.systems.world.flight import Acting, FlightSpace, Motion
from pliant.systems.world.hands import HandTable
from pliant.systems.world.joints import AxisTable, JointTable
from pliant.systems.world.keeping import Kept
from pliant.systems.world.memory import Memory
from pliant.systems.world.point_forces import PointForces
from pliant.systems.world.proxies import Proxies
from pliant.systems.world.rows import Ties, Touched
from pliant.systems.world.sleepers import Sleep
from pliant.systems.world.tables import BodyState, BodyTable, Geometry, Models
from pliant.systems.world.touching import Manners, TouchSpace


class Paths(NamedTuple):
    """Kinematic bodies (k,): t (n + 1, k, 3) and Q (n + 1, k, 4) at the ends of small steps, spin (n, k, 3) in them."""

    body: Ids
    t: Array
    Q: Array
    spin: Array


class Settings(NamedTuple):
    """What may change between calls.

    Attributes:
        numbers: dt of a small step [s], slop and slack [m], the time at the start [s].
        counts: rule, sweeps, first small step, small steps in a step, are shocks propagated, may islands sleep; what
            comes back: small steps done, why it stopped, what is concerned.
    """

    numbers: Array
    counts: Ids


DT, SLOP, SLACK, TIME = range(4)
RULE, SWEEPS, START, SUBSTEPS, SHOCK, SLEEPING, DONE, WHY, WHAT = range(9)


def settings_space() -> Settings:
    """To be filled before each call."""
    return Settings(np.zeros(4), np.zeros(9, np.int64))


class WorldRecord(NamedTuple):
    """All that a step reads and writes. Not told by their types:

    Attributes:
        ahead: where bodies will be; joined: those that joints hold and that move.
        may_touch, may_touch_fields: (b, b), (b, f) who may. x, u: placed surface vertices, and their velocities.
        reach: (b,) how far bodies get in a small step; widest: (b,) how far they extend from t [m]. kept: for how far
            contacts were found, and since when. wide: (b,) work space.
        found: (1,) how many contacts there are. near: (m,) which of them count in this small step. tied: (m,) the tie
            of each, or -1.
        none: (b,) zeros, a theta without stiffness. before: (b, 3) spins, level: (b,) above the ground, work space.
        bounced, pressed, slipped: (m, 3), (m, 3), (m,) of each contact: impulses in the world [N s], as it threw back
            and after that, and speed of slip [m/s].
        ledger: of energy, see `energy_watch`.
    """

    models: Models
    table: BodyTable
    state: BodyState
    geometry: Geometry
    motion: Motion
    acting: Acting
    space: FlightSpace
    forces: PointForces
    wind: WindField
    hands: HandTable
    joints: JointTable
    hinges: AxisTable
    ahead: BodyState
    joined: Ids
    surfaces: Surfaces
    proxies: Proxies
    fields: Fields
    manners: Manners
    may_touch: Array
    may_touch_fields: Array
    x: Array
    u: Array
    reach: Array
    widest: Array
    wide: Array
    kept: Kept
    contacts: Contacts
    found: Ids
    near: Array
    tied: Ids
    ties: Ties
    memory: Memory
    touch: TouchSpace
    touched_at: Touched
    skins: SkinTable
    none: Array
    before: Array
    level: Ids
    settings: Settings
    paths: Paths
    actuators: ActuatorTable
    bounced: Array
    pressed: Array
    slipped: Array
    ledger: Array
    sleep: Sleep
    selves: Selves
    spheres: SkinSpheres
    muscles: MuscleTable


(
    MODELS,
    TABLE,
    STATE,
    GEOMETRY,
    MOTION,
    ACTING,
    SPACE,
    FORCES,
    WIND,
    HANDS,
    JOINTS,
    HINGES,
    AHEAD,
    JOINED,
    SURFACES,
    PROXIES,
    FIELDS,
    MANNERS,
    MAY_TOUCH,
    MAY_TOUCH_FIELDS,
    PLACES,
    SPEEDS,
    REACH,
    WIDEST,
    WIDE,
    KEPT,
    CONTACTS,
    FOUND,
    NEAR,
    TIED,
    TIES,
    MEMORY,
    TOUCH,
    TOUCHED_AT,
    SKINS,
    NONE,
    BEFORE,
    LEVEL,
    SETTINGS,
    PATHS,
    ACTUATORS,
    BOUNCED,
    PRESSED,
    SLIPPED,
    LEDGER,
    SLEEP,
    SELVES,
    SPHERES,
    MUSCLES,
) = range(len(WorldRecord._fields))
