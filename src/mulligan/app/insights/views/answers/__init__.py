"""One frozen answer a page, and how it is made out of what a store says."""
