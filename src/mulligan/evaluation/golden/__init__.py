"""An invented boatyard's knowledge base, and questions people ask it."""
