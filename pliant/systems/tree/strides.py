"""Where things are in the flat arrays of packs, counted in numbers: every entry is eight of them, one a lane."""

# Of each pack: s_parent, s^3, s^4, s^5 and kappa^2 s^3.
SCALE, S3, S4, S5, KS3 = 40, 8, 16, 24, 32
# Of each pack: the interface at rest, x_hat and then R_hat.
HAT, HAT_TURN = 96, 24
# A spatial vector: a linear and then an angular part.
SPATIAL, ANGULAR = 48, 24
# A matrix (3, 3) by rows.
MATRIX = 72
