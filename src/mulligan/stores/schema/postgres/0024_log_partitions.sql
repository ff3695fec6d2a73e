-- What is there becomes the first partition, unread, and new days get theirs.
call split_log;
