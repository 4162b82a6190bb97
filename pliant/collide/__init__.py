"""Collide: where surfaces meet. Placed surfaces and analytic fields in, contacts out."""

from pliant.collide.contacts import Contacts, contacts_for
from pliant.collide.field_finding import find_field_contacts
from pliant.collide.fields import Field, Fields, box, capsule, fields_of, plane, sphere
from pliant.collide.finding import find_contacts
from pliant.collide.refitting import refit
from pliant.collide.shape import CollisionShape, collision_shape
from pliant.collide.surfaces import Surfaces, surfaces_of
from pliant.collide.thinning import thin

__all__ = [
    "CollisionShape",
    "Contacts",
    "Field",
    "Fields",
    "Surfaces",
    "box",
    "capsule",
    "collision_shape",
    "contacts_for",
    "fields_of",
    "find_contacts",
    "find_field_contacts",
    "plane",
    "refit",
    "sphere",
    "surfaces_of",
    "thin",
]
