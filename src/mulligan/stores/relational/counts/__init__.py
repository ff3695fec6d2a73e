"""What is counted by the hour and the day, in the transaction of its rows."""
