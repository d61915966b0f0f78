module grpctest

go 1.26
