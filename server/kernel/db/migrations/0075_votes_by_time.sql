-- approvals.oversight reads the votes of a period.
create index approval_votes_by_time on approval_votes (tenant_id, created_at);
