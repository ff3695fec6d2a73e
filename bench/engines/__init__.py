"""Durable turns on engines that exist, with the worker killed in the middle."""
