-- name: seals_of_kept
select seal from kept limit :most

-- name: seals_of_tool
select seal from tool limit :most

-- name: seals_of_notes
select seal from notes limit :most

-- name: seals_of_episode
select seal from episode limit :most

-- name: seals_of_lesson_version
select seal from lesson_version limit :most

-- name: seals_of_lesson_use
select seal from lesson_use limit :most

-- name: seals_of_damage
select seal from damage limit :most

-- name: seals_of_key_check
select seal from key_check limit :most

-- name: signed_kept
select seal, owner, name, value, locked, checksum, expires_us from kept
order by owner, name limit :most offset :skip

-- name: signed_tool
select seal, server, name, about from tool order by server, name limit :most offset :skip

-- name: signed_notes
select seal, tenant, task, version, parent, at_us, model, runs, body from notes
order by tenant, task, version limit :most offset :skip

-- name: signed_episode
select seal, id, at_us, tenant, tool, fingerprint, ending, body from episode
order by id limit :most offset :skip

-- name: signed_lesson_version
select seal, lesson, version, body from lesson_version
order by lesson, version limit :most offset :skip

-- name: signed_lesson_use
select seal, lesson, call, at_us, turn, principal, benefit, body from lesson_use
order by lesson, call limit :most offset :skip

-- name: sign_tool
update tool set seal = :seal where server = :one and name = :two

-- name: sign_notes
update notes set seal = :seal where tenant = :one and task = :two and version = :three

-- name: sign_episode
update episode set seal = :seal where id = :one

-- name: sign_lesson_version
update lesson_version set seal = :seal where lesson = :one and version = :two

-- name: sign_lesson_use
update lesson_use set seal = :seal where lesson = :one and call = :two

-- name: hollow_lines
select writer, seq, action, version, state, at_us, body, hash, emptied from entry
where writer = :writer and body is null order by seq
