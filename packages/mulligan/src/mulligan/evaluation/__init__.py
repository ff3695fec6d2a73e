"""Evaluates reply checks on a set of questions: run, report, compare two runs."""
