"""Pages over `insights`: what agents do, what broke, what was learned, what needs attention."""
