package subjects

import (
	"github.com/jostle-go/jostle/fuzz/subjects/ackcompact"
	"github.com/jostle-go/jostle/fuzz/subjects/cachefill"
	"github.com/jostle-go/jostle/fuzz/subjects/gossipghost"
	"github.com/jostle-go/jostle/fuzz/subjects/votelog"
)

// Apart returns hard subjects reserved for judging searches, so no
// search was tuned on them. Only random runs were used to choose their
// sizes. A random search finds each bug in 1000 to 20,000 runs (median).
func Apart() []Subject {
	return []Subject{
		{
			Name: "ack-compact", Source: "similar to Apache Pulsar, issue 4849", Depth: 1,
			Wrong:    "the second of two acknowledgments that come while a log is compacted is lost",
			Options:  ackcompact.Options(),
			Broken:   ackcompact.Config{}.Build,
			Mended:   ackcompact.Config{Mended: true}.Build,
			Property: ackcompact.Property,
		},
		{
			Name: "vote-log", Source: "similar to RocksDB, pull request 9922", Depth: 3,
			Wrong:    "a second recovery forgets votes that the first one has not copied to its log yet",
			Options:  votelog.Options(),
			Broken:   votelog.Config{}.Build,
			Mended:   votelog.Config{Mended: true}.Build,
			Property: votelog.Property,
		},
		{
			Name: "gossip-ghost", Source: "similar to Cortex, issue 4010, and ScyllaDB, issue 14991", Depth: 12,
			Wrong:    "old gossip brings a removed member back to a node that has forgotten the removal",
			Broken:   gossipghost.Config{}.Build,
			Mended:   gossipghost.Config{Mended: true}.Build,
			Property: gossipghost.Property,
		},
		{
			Name: "cache-fill", Source: "similar to Guava, issue 1881", Depth: 4,
			Wrong:    "a slow fill is stored, since a second invalidation has deleted the lease number",
			Broken:   cachefill.Config{}.Build,
			Mended:   cachefill.Config{Mended: true}.Build,
			Property: cachefill.Property,
		},
	}
}
