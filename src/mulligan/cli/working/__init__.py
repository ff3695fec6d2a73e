"""A process that looks after what others leave, and how it says that it is well."""
