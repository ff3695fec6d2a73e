"""The story of `mulligan demo`: a family, a calendar of its own, and an agent that errs."""
