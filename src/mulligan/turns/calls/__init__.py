"""One call, from the wrapper to the tool and back: logged, retried, advised on, journaled."""
