"""All that is known of a language, in one folder each, apart from every rule and every check."""
