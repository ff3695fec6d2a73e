-- name: remember_tool
insert into tool (server, name, about) values (:server, :name, :about)
on conflict (server, name) do update set about = excluded.about

-- name: tools
select about from tool order by server, name
