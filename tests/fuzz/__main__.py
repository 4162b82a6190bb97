"""`python -m fuzz SECONDS [SEED]`, from the folder of the tests: attacks everything for so long, and lists faults."""

import sys

from fuzz.running import attack, compile_ahead
from fuzz.targets import TARGETS

SHOWN = 20  # seeds of a fault


def main(seconds: float, seed: int) -> int:
    worst = 0
    for target in TARGETS:
        compile_ahead(target)
        count, faults = attack(target, seconds / len(TARGETS), seed)
        print(f"{target.__name__}: {count} cases, {len(faults)} faults", flush=True)
        for reason in dict.fromkeys(fault.reason for fault in faults):
            seeds = [fault.seed for fault in faults if fault.reason == reason]
            print(f"  {len(seeds)} of seeds {', '.join(map(str, seeds[:SHOWN]))}: {reason}", flush=True)
        worst |= bool(faults)
    return worst


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
