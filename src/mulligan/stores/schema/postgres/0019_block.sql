-- The kinds of rows there are: whose, of what, and how they ended. `number` is a hash of the others.
create table row_kind (
  number bigint primary key,
  tenant text not null,
  agent text not null,
  server text not null,
  tool text not null,
  outcome text not null,
  error_class text not null,
  last_us bigint not null
);

-- A block is the rows whose ids begin alike, of some minutes: which have rows of a kind, and of when.
-- A search leaves out the others, however many there are.
create table row_block (
  kind bigint not null,
  block text collate "C" not null,
  from_us bigint not null,
  to_us bigint not null,
  primary key (kind, block)
);

-- The rows that are there already, compressed ones too.
call mark_old_blocks;
