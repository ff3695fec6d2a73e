-- name: remember_tool
insert into tool (server, name, about, seal) values (:server, :name, :about, :seal)
on conflict do nothing

-- name: drop_tool
delete from tool where server = :server and name = :name and about <> :about returning seal

-- name: known_tool
select 1 from tool where server = :server and name = :name and about = :about

-- name: tools
select about from tool where server not in (:operator, :waivers) order by server, name

-- name: limits
select about from tool where server = :operator
