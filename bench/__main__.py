"""`python -m bench [NAME ...]`: run the studies, all of them without a name."""

import importlib
import sys

STUDIES = {
    "elements": "kinds of cells: error against build time on a beam, a plate, a twisted bar, a membrane and voxels",
    "full_model": "the unreduced model against scikit-fem, and its cost per cell",
    "clamped_step": "a reduced step against the textbook way and the limits of the core",
    "call_overhead": "what a call of step, vertices, push and release costs from Python, at r = 10",
    "cubature": "a jet of cubature forces against a matrix product of its size, and against cubic",
    "shapes": "every method with its defaults on sixteen shapes, against the unreduced solid",
    "precompute": "from mesh to saved model, up to 500,000 tets",
    "stills": "pictures of gallery scenes, the first of a recording and the next",
    "drawing": "u = U q against streaming U through memory",
    "warping": "[MR12] Fig. 10: a beam bent far, linear, warped in two ways, and unreduced",
    "keyframes": "[MR12] Fig. 8: a soft dinosaur takes five steps through keyframes",
    "tree_step": "trees: the oak against [LS11], and the cost of a step over the number of parts",
    "sailboat": "seams at the size of [BA13]'s sailboat: precomputation, a step, all vertices",
    "penalty_springs": "parts joined by springs, the baseline of [BA13], against seams",
    "seams_nonlinear": "nonlinear seams: cost over the number of parts, error over coordinates on the bar of [BA13]",
    "holding": "what a hand costs: held steps against pushed ones, in every gallery scene",
    "collide_pairs": "contacts of twenty deforming bodies, against libigl's trees and a bare pass over memory",
    "world_step": "worlds: a body at rest, sweeps over a thousand contacts, heaps of more and more bodies",
    "world_joints": "chains of five to two hundred bodies: what a step costs over their joints",
    "world_bones": "twenty fish of four bones in a box: stages of a step, broad phase, bones in a row",
    "world_pachinko": "a toy of 21 bones among pegs, alone and 31 of them: frames a second",
    "bone_trees": "joints of a tree of 5 to 200 bones: what a step costs",
    "character_tables": "Tables 1 and 2 of [MC15] beside ours: precomputation and frames of characters",
    "world_haptics": "a device that feels a footbridge through a ball at 1 kHz: how many periods come in time",
    "world_yardsticks": "a box at rest beside MuJoCo's flexible bodies, and the cost of steps over bodies and contacts",
    "sound": "a thousand modes against real time, ringing and driven, and the cubic model at audio rate",
    "paper_models": "the tables of [SI05] beside ours",
}


def main(names: list[str]) -> None:
    for name in names or STUDIES:
        if name not in STUDIES:
            sys.exit(f"no study is called {name}; there are: {', '.join(STUDIES)}")
        print(f"\n== {name}: {STUDIES[name]}")
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
