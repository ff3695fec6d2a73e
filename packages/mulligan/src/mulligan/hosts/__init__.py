"""Hosts: how Mulligan is used from a framework, one file each. It translates; it decides nothing.

What makes its agents writers of texts is a module `…_writer` of its own, because it is asked before
it is known whether the framework is installed.
"""
