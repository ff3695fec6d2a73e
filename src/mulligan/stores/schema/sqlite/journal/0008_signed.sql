-- With a key, everything that an undo, a review or a lesson rests on is signed. `account` is what a
-- writer has added to the signed tables and taken from them, and who was there before it.
alter table writer add column account text not null default '';
alter table writer add column seal blob;

-- That retention emptied it, and nobody else.
alter table entry add column emptied blob;

alter table anchor add column seal blob;
alter table damage add column seal blob;
alter table kept add column seal blob;
alter table tool add column seal blob;
alter table notes add column seal blob;
alter table episode add column seal blob;
alter table lesson_version add column seal blob;
alter table lesson_use add column seal blob;

-- Since when the store is signed, and how many rows were there already and taken as they were.
alter table key_check add column signed_us integer;
alter table key_check add column trusted integer not null default 0;
alter table key_check add column seal blob;
