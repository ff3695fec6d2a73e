"""What is proven of the packs by killing processes, counted outside of them."""
