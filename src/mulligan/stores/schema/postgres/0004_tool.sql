-- What applications have declared their tools to be.
create table tool (
  server text collate "C" not null,
  name text collate "C" not null,
  about text not null,
  primary key (server, name)
);
