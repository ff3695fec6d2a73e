"""Actions as the journal has them: each step written, waited for, looked up, held."""
