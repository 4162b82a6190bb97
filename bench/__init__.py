"""Studies: timings as ratios measured in one run, and figures of the papers beside ours."""
