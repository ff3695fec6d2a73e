-- That it keeps to its bound is looked up while others go on, and in a transaction of its own.
call check_bound;
