"""The bar that tests of sound strike."""

LENGTH, WIDTH, DEPTH = 0.3, 0.02, 0.006  # [m]: slender, so that Euler and Bernoulli are right about it
RATE = 44100
DAMPING = (2.0, 2e-8)
