-- What applications have declared their tools to be.
create table tool (
  server text not null,
  name text not null,
  about text not null,
  primary key (server, name)
) strict, without rowid;
