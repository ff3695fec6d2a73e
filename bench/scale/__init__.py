"""Many workers on one store: how much they carry, and what a server that is killed costs them."""
