-- expand
-- For its plans a server keeps samples, which would outlive the rows they are of: of no text any more.
call skip_samples;
