-- name: keep
insert into kept (owner, name, value, locked, expires_us) values (:owner, :name, :value, :locked, :expires_us)
on conflict (owner, name) do update
set value = excluded.value, locked = excluded.locked, expires_us = excluded.expires_us

-- name: kept
select value, locked, expires_us from kept where owner = :owner and name = :name

-- name: expire
update kept set expires_us = :at_us where owner = :owner

-- name: expire_after_settlement
update kept set expires_us = :at_us where owner = :owner and expires_us is null

-- name: shred
delete from kept where (owner, name) in (
  select owner, name from kept where expires_us is not null and expires_us <= :now_us limit :most
)

-- name: forget_kept
delete from kept where owner = :owner
