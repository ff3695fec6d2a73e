-- The newest of a kind are read without the others: failures of a tool or a tenant, calls that a
-- lesson touched.
create index episode_by_tool on episode (tool, id);
create index episode_by_tenant on episode (tenant, id);
create index lesson_use_by_time on lesson_use (lesson, at_us, call);
