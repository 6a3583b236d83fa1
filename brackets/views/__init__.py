"""Pages of a knockout: the draw, the tree, the matches, and the tablets the day is run from."""
