-- Who each writer is, and when it last said that it lives.
create table presence (
  writer text collate "C" primary key,
  machine text not null,
  pid bigint not null,
  started text not null,
  beat_us bigint not null
);
