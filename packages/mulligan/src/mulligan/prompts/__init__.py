"""What models are told: versioned Markdown files, and how a question fills them."""
