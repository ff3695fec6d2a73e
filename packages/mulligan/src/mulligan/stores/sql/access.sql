-- name: access_table
select to_regclass('mulligan.access') is not null

-- name: make_access_table
create table if not exists access (
  role name primary key,
  surface text not null,
  tenant text collate "C"
)

-- name: own_access
select row_security_active('mulligan.action'), current_user::text,
  (select surface from access where role = current_user)

-- name: accesses
select role::text, surface, tenant from access order by role

-- name: set_access
insert into access (role, surface, tenant) values (:role, :surface, :tenant)

-- name: drop_access
delete from access where role = :role

-- name: own_tables
select c.relname::text, c.relrowsecurity from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'mulligan' and c.relkind in ('r', 'p') and not c.relispartition
order by c.relname

-- name: policies
select tablename::text, policyname::text from pg_policies where schemaname = 'mulligan'

-- name: role_powers
select r.rolsuper, r.rolbypassrls, coalesce(
  (select pg_has_role(r.oid, c.relowner, 'member') from pg_class c
    where c.oid = to_regclass('mulligan.action')), false
) from pg_roles r where r.rolname = :role

-- name: roles_within
select access.role::text from access join pg_roles r on r.rolname = access.role
where access.role <> :role and pg_has_role(cast(:role as name), r.oid, 'member')
order by access.role
