"""What an application does and is asked all day, on stores with a short past and with a long one."""
