"""Search with the transition systems, and the roll-outs of training."""
