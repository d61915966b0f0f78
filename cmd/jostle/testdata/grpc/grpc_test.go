package grpctest

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	pb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// start starts a server and connects a client to it.
func start(t *testing.T) (pb.HealthClient, *health.Server) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, h := grpc.NewServer(), health.NewServer()
	pb.RegisterHealthServer(s, h)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		s.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return pb.NewHealthClient(conn), h
}

func TestUnary(t *testing.T) {
	c, _ := start(t)
	r, err := c.Check(t.Context(), &pb.HealthCheckRequest{})
	if err != nil || r.Status != pb.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", r, err)
	}
}

func TestStream(t *testing.T) {
	c, h := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w, err := c.Watch(ctx, &pb.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := w.Recv(); err != nil || r.Status != pb.HealthCheckResponse_SERVING {
		t.Errorf("%v, %v", r, err)
	}
	h.SetServingStatus("", pb.HealthCheckResponse_NOT_SERVING)
	if r, err := w.Recv(); err != nil || r.Status != pb.HealthCheckResponse_NOT_SERVING {
		t.Errorf("%v, %v", r, err)
	}
	cancel()
	if _, err := w.Recv(); status.Code(err) != codes.Canceled {
		t.Error(err)
	}
}
