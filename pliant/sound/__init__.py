"""Sound: what solids sound like when they are struck, plucked, rubbed, or hit each other ([MR12] section 2.2)."""

from pliant.sound.hammers import Hammer
from pliant.sound.hearing import Hearing
from pliant.sound.nonlinear import NonlinearSound
from pliant.sound.presets import PRESETS, SoundPreset, sounding_material
from pliant.sound.radiation import ears
from pliant.sound.sound import Sound
from pliant.sound.spectrogram import write_spectrogram
from pliant.sound.voice import Voice

__all__ = [
    "PRESETS",
    "Hammer",
    "Hearing",
    "NonlinearSound",
    "Sound",
    "SoundPreset",
    "Voice",
    "ears",
    "sounding_material",
    "write_spectrogram",
]
