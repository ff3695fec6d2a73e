-- Calls are counted by call, and tries apart. Of what was counted before, the tries that came second
-- are taken out; third ones, which nobody counted apart, stay calls.
alter table hourly add column tries real not null default 0;
update hourly set
  tries = calls,
  calls = max(calls - retried, 0),
  failures = max(failures - retried + repaired, repaired, 0);
