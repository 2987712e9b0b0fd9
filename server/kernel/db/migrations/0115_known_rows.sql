-- What ends a transaction whose rows of evidence the process knows in advance (docs/decisions/0102-one-write-for-a-call.md): the
-- process hands in the states and the records of the outcome that it expects. All functions run with the rights of their caller, so
-- row-level security and the list of grants apply.

-- Binds and records what `outcome` stands for, if it is 'done'; otherwise writes nothing. Returns the outcome.
create function record_outcome(
  outcome text, owner uuid, moment timestamptz,
  state_types text[], state_ids text[], state_forms smallint[], state_revisions integer[], state_digests bytea[],
  state_audit_ids uuid[], state_macs bytea[],
  audit_ids uuid[], types text[], bodies text[], digests bytea[], macs bytea[], leaf_tails text[], nonces bytea[],
  channels text[], topics text[]
) returns text
language plpgsql as $$
begin
  if outcome <> 'done' then return outcome; end if;
  perform bind_and_append(
    owner, state_types, state_ids, state_forms, state_revisions, state_digests, state_audit_ids, state_macs,
    moment, audit_ids, types, bodies, digests, macs, leaf_tails, nonces, channels, topics
  );
  return outcome;
end
$$;

-- One vote, and what becomes of the request: it stays pending, or is decided. The caller has locked the request, so that it can't have
-- changed since it was read.
create function decide_approval(
  owner uuid, approval uuid, known_revision integer, next_status text, moment timestamptz, decision_audit_id uuid,
  vote_id uuid, voter uuid, delegator uuid, given text, why text, level integer, proof jsonb
) returns text
language plpgsql as $$
begin
  insert into approval_votes
    (tenant_id, approval_id, id, member_id, on_behalf_of, decision, reason, escalation_level, audit_id, confirmation, created_at)
  values
    (owner, approval, vote_id, voter, delegator, given, why, level, decision_audit_id, proof, moment);
  if next_status = 'pending' then
    update approvals set revision = revision + 1
    where tenant_id = owner and id = approval and status = 'pending' and revision = known_revision;
  else
    update approvals set status = next_status, audit_id = decision_audit_id, decided_at = moment, revision = revision + 1
    where tenant_id = owner and id = approval and status = 'pending' and revision = known_revision;
  end if;
  if not found then raise exception 'The request % changed under its lock', approval; end if;
  return 'done';
end
$$;
