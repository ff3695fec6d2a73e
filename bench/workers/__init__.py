"""One process for each thing that is measured. They import what their environment has, no more."""
