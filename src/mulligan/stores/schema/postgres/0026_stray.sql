-- expand
-- Blocks with rows whose own time is not that of their id, and how far off it is at most. Of all other
-- rows the id says when they were: a search by time begins there, however many a block has.
create table stray_block (
  block text collate "C" not null primary key,
  ahead_us bigint not null,
  behind_us bigint not null,
  last_us bigint not null
);

-- Of the rows that are there nobody has looked whether they are off.
call mark_old_strays;
