-- Who each writer is, and when it last said that it lives.
create table presence (
  writer text primary key,
  machine text not null,
  pid integer not null,
  started text not null,
  beat_us integer not null
) strict, without rowid;
