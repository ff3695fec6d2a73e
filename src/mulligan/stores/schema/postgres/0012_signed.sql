-- With a key, everything that an undo, a review or a lesson rests on is signed. `account` is what a
-- writer has added to the signed tables and taken from them, and who was there before it.
alter table writer add column account text not null default '';
alter table writer add column seal bytea;

-- That retention emptied it, and nobody else.
alter table entry add column emptied bytea;

alter table anchor add column seal bytea;
alter table damage add column seal bytea;
alter table kept add column seal bytea;
alter table tool add column seal bytea;
alter table notes add column seal bytea;
alter table episode add column seal bytea;
alter table lesson_version add column seal bytea;
alter table lesson_use add column seal bytea;

-- Since when the store is signed, and how many rows were there already and taken as they were.
alter table key_check add column signed_us bigint;
alter table key_check add column trusted bigint not null default 0;
alter table key_check add column seal bytea;
