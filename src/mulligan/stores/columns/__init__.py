"""Words of the journal and the log as tables hold them, and back."""
