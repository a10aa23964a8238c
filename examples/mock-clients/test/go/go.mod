module cars

go 1.24
