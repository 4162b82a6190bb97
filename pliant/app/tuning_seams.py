"""Tunes parts that share their interfaces."""

from pliant.app.tuning import Settings, Tuner
from pliant.app.tuning_wind import wind_speed, with_speed
from pliant.systems import NonlinearSeams, Seams

AnySeams = Seams | NonlinearSeams


class SeamsTuner(Tuner[AnySeams]):
    """Damping, gravity, wind and step."""

    tunable = ("alpha", "beta", "gravity", "dt", "wind")
    in_place = ("alpha", "beta", "dt", "wind")

    def settings(self, system: AnySeams) -> Settings:
        x, y, z = (float(g) for g in system.gravity)
        alpha, beta = system.damping
        return Settings(1.0, alpha, beta, (x, y, z), len(system.q), system.dt, wind=wind_speed(system.wind))

    def tuned(self, base: AnySeams, settings: Settings) -> AnySeams:
        damping = (settings.alpha, settings.beta)
        system: AnySeams
        if isinstance(base, NonlinearSeams):
            system = NonlinearSeams(base.parts, settings.dt, damping, settings.gravity, base.newton)
        else:
            system = Seams(base.coupled, settings.dt, damping, settings.gravity, base.projection)
        system.wind = with_speed(base.wind, settings.wind)
        return system

    def adjust(self, system: AnySeams, settings: Settings) -> None:
        if system.dt != settings.dt:
            system.dt = settings.dt
        if system.damping != (settings.alpha, settings.beta):
            system.damping = (settings.alpha, settings.beta)
        system.wind = with_speed(system.wind, settings.wind)
