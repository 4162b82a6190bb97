"""Changed lines that no test can notice, with the proof: as they are, as they are made, and why that is the same."""

EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "WORLD = (np.eye(3)[None], np.zeros((1, 3)))  # the frame of what has none",
        "WORLD = (np.eye(3)[None], np.zeros((1, 4)))  # the frame of what has none",
    ): "three numbers of it are read",
    (
        "arm, pull, turn, bend = np.empty(3), np.empty(3), np.zeros(3), np.empty((3, 3))",
        "arm, pull, turn, bend = np.empty(4), np.empty(3), np.zeros(3), np.empty((3, 3))",
    ): "three numbers of it are written and read",
    (
        "if x @ (K @ x) < self._slowest_asked * (x @ (M @ x)):",
        "if x @ (K * x) < self._slowest_asked * (x @ (M @ x)):",
    ): "the product of a scipy matrix with a vector has both signs",
    (
        "qd0, gained = state.qd[first : first + r], motion.gained[first : first + r]",
        "qd0, gained = state.qd[first : first - r], motion.gained[first : first + r]",
    ): "compiled code counts to r from where it begins, and does not look at the end",
}
