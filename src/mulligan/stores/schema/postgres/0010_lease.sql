-- When the store last heard of a writer, by its own clock; how long the writer asked to be waited
-- for; and when it was given up, or ended. Who was given up writes no more under that name.
alter table writer add column heard_us bigint not null default 0;
alter table writer add column lease_us bigint not null default 30000000;
alter table writer add column revoked_us bigint;

update writer set heard_us = coalesce((select beat_us from presence where presence.writer = writer.id), 0);
