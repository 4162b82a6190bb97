"""Bases: the subspace of shapes that a reduced solid can take."""

from collections.abc import Callable

from pliant.basis.attachment import attachment_modes
from pliant.basis.basis import Basis, check_fits
from pliant.basis.chosen import chosen_basis
from pliant.basis.derivatives import modal_derivatives
from pliant.basis.indicator import residual
from pliant.basis.mass_pca import mass_pca
from pliant.basis.modal import modal_basis
from pliant.basis.mode_basis import mode_basis
from pliant.basis.moving_parts import vibration_parts
from pliant.basis.part_basis import part_basis
from pliant.basis.part_sizes import part_sizes
from pliant.basis.poses import pose_basis
from pliant.basis.rigid import rigid_modes
from pliant.basis.size_report import SizeReport
from pliant.basis.sketch import sketch_basis
from pliant.basis.snapshots import snapshot_basis
from pliant.basis.tangent import tangent_derivatives
from pliant.basis.vibration import Modes, vibration_modes

# What scene files may name: functions of a solid and the keys of their basis table.
BASES: dict[str, Callable[..., Basis]] = {
    "modal": modal_basis,
    "modes": mode_basis,
    "sketch": sketch_basis,
    "chosen": chosen_basis,
    "poses": pose_basis,
}

__all__ = [
    "BASES",
    "Basis",
    "Modes",
    "SizeReport",
    "attachment_modes",
    "check_fits",
    "chosen_basis",
    "mass_pca",
    "modal_basis",
    "modal_derivatives",
    "mode_basis",
    "part_basis",
    "part_sizes",
    "pose_basis",
    "residual",
    "rigid_modes",
    "sketch_basis",
    "snapshot_basis",
    "tangent_derivatives",
    "vibration_modes",
    "vibration_parts",
]
