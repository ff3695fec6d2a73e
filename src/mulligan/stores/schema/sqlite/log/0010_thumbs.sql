-- The index of what a thumb is for begins with the tool: else that of all rows by tool is taken,
-- and every thumb there is read for each that is written.
drop index execution_rated;
create index execution_rated on execution (tool, parent) where tool = 'text.rated';
