"""Files: volume meshes and surfaces, read with suspicion and written whole or not at all."""
