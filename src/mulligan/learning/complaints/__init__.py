"""What errors complain of, field by field, in the dialects that validators speak."""
