-- name: keep
insert into kept (owner, name, value, locked, checksum, expires_us, seal)
values (:owner, :name, :value, :locked, :checksum, :expires_us, :seal)
on conflict do nothing

-- name: replace_kept
insert into kept (owner, name, value, locked, checksum, expires_us)
values (:owner, :name, :value, :locked, :checksum, :expires_us)
on conflict (owner, name) do update set value = excluded.value, locked = excluded.locked,
  checksum = excluded.checksum, expires_us = excluded.expires_us, seal = null

-- name: kept_after
select owner, name, value, locked, checksum from kept
where owner > :owner or (owner = :owner and name > :name) order by owner, name limit :most

-- name: drop_kept
delete from kept where owner = :owner and name = :name returning seal

-- name: key_check
select value, signed_us, trusted, identity, places, seal from key_check

-- name: set_key_check
insert into key_check (number, value, signed_us, trusted, identity, places, seal)
values (1, :value, :signed_us, :trusted, :identity, :places, :seal)
on conflict (number) do update set value = excluded.value, signed_us = excluded.signed_us,
  trusted = excluded.trusted, identity = excluded.identity, places = excluded.places,
  seal = excluded.seal

-- name: signatures
select 1 from key_check where signed_us is not null
union all select 1 from (select 1 from writer where seal is not null limit 1) as signed

-- name: left_signatures
select 1 from (select 1 from kept where seal is not null limit 1) as kept_signed
union all select 1 from (select 1 from entry where emptied is not null limit 1) as entry_signed
union all select 1 from (select 1 from anchor where seal is not null limit 1) as anchor_signed
union all select 1 from (select 1 from damage where seal is not null limit 1) as damage_signed
union all select 1 from (select 1 from tool where seal is not null limit 1) as tool_signed
union all select 1 from (select 1 from episode where seal is not null limit 1) as episode_signed

-- name: locked_values
select 1 from key_check union all select 1 from (select 1 from kept where locked <> 0 limit 1) as locked

-- name: kept
select owner, name, value, locked, checksum, expires_us, seal from kept
where owner = :owner and name = :name

-- name: expire
update kept set expires_us = :at_us where owner = :owner

-- name: expire_after_settlement
update kept set expires_us = :at_us where owner = :owner and expires_us is null

-- name: seals_of_owner
select name, checksum, expires_us, seal from kept where owner = :owner

-- name: reseal_kept
update kept set expires_us = :expires_us, seal = :seal
where owner = :owner and name = :name and seal = :was

-- name: shred
-- Said twice: what another has given a later end meanwhile is among those that were found, and stays.
delete from kept where (owner, name) in (
  select owner, name from kept where expires_us is not null and expires_us <= :now_us limit :most
) and expires_us <= :now_us returning seal

-- name: expired
select owner, name, checksum, expires_us, seal from kept
where expires_us is not null and expires_us <= :now_us order by owner, name limit :most offset :skip

-- name: drop_sealed
delete from kept where owner = :owner and name = :name and seal = :seal

-- name: forget_kept
delete from kept where owner = :owner returning seal

-- name: unsealed_kept
select owner, name, value, locked, checksum, expires_us from kept where seal is null
order by owner, name limit :most

-- name: reseal_value
update kept set value = :value, locked = :locked, checksum = :checksum, seal = :seal
where owner = :owner and name = :name
