package report

import "github.com/jostle-go/jostle/fuzz/internal/campaign"

// Live returns the report in the form of a campaign that has ended, as the command view shows it.
func (r *Report) Live() *campaign.Live {
	l := &campaign.Live{Runs: r.Runs, Ended: r.Ended, FoundAll: r.Failures()}
	l.Last = campaign.Event{Kind: campaign.Ended, Text: string(r.Ended), Runs: r.Runs, Seconds: r.Seconds, Deaths: r.Deaths}
	for i := range r.Properties {
		p := &r.Properties[i]
		state := campaign.Over
		if p.Complete != "" {
			state = campaign.Complete
		}
		l.Last.Orders += p.Coverage.Seen
		l.Last.Properties = append(l.Last.Properties, campaign.Progress{Subject: p.Name, State: state, Runs: p.Runs, Steps: p.Steps, Findings: len(p.Findings),
			Orders: p.Coverage.Seen, Open: p.Coverage.Possible - p.Coverage.Covered, Likely: p.Coverage.Chance.Likely, High: p.Coverage.Chance.High})
		for k := range p.Findings {
			l.Found = append(l.Found, campaign.NewLiveFinding(p.Name, &p.Findings[k].Record, 0))
		}
	}
	return l
}
