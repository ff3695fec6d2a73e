"""What can be computed of a turn, and what therefore denies a judge or needs no undo."""
