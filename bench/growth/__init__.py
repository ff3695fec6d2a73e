"""How the time of every regular expression and parser grows with the length of hostile text."""
