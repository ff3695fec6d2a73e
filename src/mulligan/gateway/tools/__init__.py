"""Tools as servers have them and clients see them: lists, names, results, and the gateway's own."""
