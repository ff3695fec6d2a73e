"""All suites one after the other, and the page that tells what they came to."""
