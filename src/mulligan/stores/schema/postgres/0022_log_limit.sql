-- The log is to go into partitions, a table for each day: first it is bound to end in some days.
call limit_log;
