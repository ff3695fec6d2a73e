"""The only place that knows every part."""
