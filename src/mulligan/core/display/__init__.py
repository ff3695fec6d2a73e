"""Text as people and models may read it: escaped, quoted, asked, in a sentence."""
