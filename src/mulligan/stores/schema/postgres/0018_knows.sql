-- expand
-- Which schema the program of each process knows: so that what earlier ones still need is left to
-- them. Who was here before this says nothing.
alter table presence add column knows bigint;
