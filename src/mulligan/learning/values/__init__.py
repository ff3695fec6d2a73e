"""Single values and names: how near two are, which may never be changed."""
