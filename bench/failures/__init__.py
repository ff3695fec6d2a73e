"""Calls that failed in runs of others, told in our words, and what a memory makes of them."""
