"""What applications do and are asked all day, on stores with a short past and a long one."""
