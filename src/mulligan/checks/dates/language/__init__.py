"""The words of a language, apart from every rule."""
