"""Checks as an application names them: functions of its own, the standard ones, or both."""
