-- Which of the stores under one key it is, and where it lies: nobody without the key can put
-- another in its place.
alter table key_check add column identity blob;
alter table key_check add column places text;
