"""One of everything that a package can bring; `garden.toml` beside this is the recipe."""
