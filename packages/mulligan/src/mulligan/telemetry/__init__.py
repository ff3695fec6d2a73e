"""What is seen from outside: the log's queue and writer, events, spans."""
