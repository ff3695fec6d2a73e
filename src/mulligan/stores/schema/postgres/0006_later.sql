-- Few calls are tried more than once, and questions about repairs are about those.
create index execution_later on execution (id) where try_number > 1;
