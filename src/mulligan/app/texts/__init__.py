"""Replies, drafts and runs of tasks of one application, and what people say of them."""
