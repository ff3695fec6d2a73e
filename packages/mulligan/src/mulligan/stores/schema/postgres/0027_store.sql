-- expand
-- Some of a tool's lessons, or of a pattern's, are read in order without the others.
create index lesson_by_tool on lesson (tool, tenant, id);
create index lesson_by_fingerprint on lesson (tool, tenant, fingerprint, id);
drop index lesson_by_pattern;
