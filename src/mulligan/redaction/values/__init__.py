"""Values of any shape as the log may show them: walked, stubbed, compiled."""
