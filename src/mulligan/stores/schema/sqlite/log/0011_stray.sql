-- expand
-- Blocks with rows whose own time is not that of their id, and how far off it is at most. Of all other
-- rows the id says when they were: a search by time begins there, however many a block has.
create table stray_block (
  block text not null primary key,
  ahead_us integer not null,
  behind_us integer not null,
  last_us integer not null
) without rowid;

-- Of the rows that are there nobody has looked whether they are off.
call mark_old_strays;
