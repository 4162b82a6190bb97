"""Where things are in the flat arrays of packs, counted in numbers: every entry is eight of them, one a lane."""

# Of each pack: s_parent, s^3, s^4, s^5 and kappa^2 s^3.
SCALE, S3, S4, S5, KS3 = 40, 8, 16, 24, 32
# Of each pack: the interface at rest, x_hat and then R_hat.
HAT, HAT_TURN = 96, 24
# A spatial vector: a linear and then an angular part.
SPATIAL, ANGULAR = 48, 24
# A matrix (3, 3) by rows.
MATRIX = 72
# A spatial inertia [[A, C], [C^T, D]] has 27 entries: A, C, D; a spatial vector behind it where both are handed on.
INERTIA, COUPLING, TURNING, HANDED = 27, 72, 144, 216
# A subtree has ten entries: F (3), torque about the world's origin (3), m c (3) in the world, m.
LUMP, TORQUE, MOMENT, MASS = 10, 24, 48, 72
# What the wind meets of a pack: the area, its arm, and a row of three for every coordinate.
SAIL_ARM, SAIL_ROWS, SAIL_ROW = 8, 32, 24
# Where in the work space the vectors of the parents are gathered, behind all that is worked out meanwhile.
GATHERED = 512
