"""What people look at: pages in a browser, all of them in one file, the overview in a terminal."""
