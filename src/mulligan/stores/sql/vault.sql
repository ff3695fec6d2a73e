-- name: keep
insert into kept (owner, name, value, locked, checksum, expires_us)
values (:owner, :name, :value, :locked, :checksum, :expires_us)
on conflict (owner, name) do update set value = excluded.value, locked = excluded.locked,
  checksum = excluded.checksum, expires_us = excluded.expires_us

-- name: key_check
select value from key_check

-- name: add_key_check
insert into key_check (number, value) values (1, :value) on conflict do nothing

-- name: kept
select owner, name, value, locked, checksum, expires_us from kept where owner = :owner and name = :name

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
