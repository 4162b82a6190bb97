"""Collide: where surfaces meet. Placed surfaces and analytic fields in, contacts out."""

from pliant.collide.contacts import Contacts, contacts_for
from pliant.collide.field_finding import find_field_contacts
from pliant.collide.fields import Field, Fields, box, capsule, fields_of, plane, sphere
from pliant.collide.finding import find_contacts, find_more_contacts
from pliant.collide.own_touch import own_touch
from pliant.collide.refitting import refit
from pliant.collide.refreshing import begin_refreshing, rate_contacts, refresh_contacts
from pliant.collide.self_finding import find_self_contacts
from pliant.collide.selves import OwnTouch, Selves, selves_of
from pliant.collide.shape import CollisionShape, collision_shape
from pliant.collide.surfaces import Surfaces, surfaces_of
from pliant.collide.thinning import choose, drop_marked

__all__ = [
    "CollisionShape",
    "Contacts",
    "Field",
    "Fields",
    "OwnTouch",
    "Selves",
    "Surfaces",
    "begin_refreshing",
    "box",
    "capsule",
    "choose",
    "collision_shape",
    "contacts_for",
    "drop_marked",
    "fields_of",
    "find_contacts",
    "find_field_contacts",
    "find_more_contacts",
    "find_self_contacts",
    "own_touch",
    "plane",
    "rate_contacts",
    "refit",
    "refresh_contacts",
    "selves_of",
    "sphere",
    "surfaces_of",
]
