"""Changed lines that no test can notice, with the proof: as they are, as they are made, and why that is the same."""

EQUIVALENT: dict[tuple[str, str], str] = {}
