"""`python -m fuzz SECONDS [SEED]`, from the folder of the tests: attacks everything for so long, and lists faults."""

import sys

from fuzz.running import attack, compile_ahead
from fuzz.targets import TARGETS


def main(seconds: float, seed: int) -> int:
    worst = 0
    for target in TARGETS:
        compile_ahead(target)
        count, faults = attack(target, seconds / len(TARGETS), seed)
        print(f"{target.__name__}: {count} cases, {len(faults)} faults", flush=True)
        for fault in {fault.reason: fault for fault in faults}.values():
            print(f"  seed {fault.seed}: {fault.reason}", flush=True)
        worst |= bool(faults)
    return worst


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
