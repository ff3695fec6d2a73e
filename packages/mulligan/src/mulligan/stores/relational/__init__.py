"""Journal, vault and log over tables, written once for every database that speaks SQL."""
