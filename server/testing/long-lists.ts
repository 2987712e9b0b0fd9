import type { ClientBase, Pool } from 'pg'

// Creates a tenant with any number of rows in each of its lists, in SQL. Filtered values have the worst distribution: five
// rows at the far end of a list have the rare value, all others the common one.

/** The id of the `n`-th row of any table: older than all rows that are created while a test runs. */
export const nthId = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

const id = (n: string) => `('01900000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
const at = (n: string) => `timestamptz '2024-06-01' + make_interval(secs => ${n})`
/** The values of a column: the first value for nearly all rows, each other value for one of the oldest. */
const spread = (common: string, ...rare: string[]) =>
  `coalesce((array[${rare.map((value) => `'${value}'`).join(', ')}])[n], '${common}')`

const content = {
  v: 1,
  agent: { id: nthId(1), name: 'a', displayName: 'A', version: '1', manifestDigest: `sha256:${'0'.repeat(64)}` },
  environment: 'production',
  spec: { runtime: { observe: {} } },
  tools: [],
}

/** `$1` is the tenant, `$2` the number of rows, `$3` a member of the tenant. */
type Statement = readonly [table: string, columns: string, values: string]

/** In the order in which rows refer to each other. All rows belong to agent 1, group 1 and policy 1. */
const statements: readonly Statement[] = [
  [
    'members',
    'tenant_id, id, issuer, subject, kind, username, display_name, status',
    `$1, ${id('n')}, '/realms/filled', 'm-' || n, case when n % 2 = 0 then 'person' else 'service_account' end, 'member-' || n, 'Member ' || n,
      ${spread('active', 'invited', 'suspended', 'removed')}`,
  ],
  ['approver_groups', 'tenant_id, id, name, display_name', `$1, ${id('n')}, 'group-' || n, 'Group ' || n`],
  ['provisioned_groups', 'tenant_id, id, name', `$1, ${id('n')}, 'provisioned-' || n`],
  [
    'mapped_members',
    'tenant_id, id, member_id, source, name',
    `$1, ${id('n')}, ${id('n')}, 'scim', 'provisioned-' || n`,
  ],
  [
    'approver_delegations',
    'tenant_id, id, delegator_id, delegate_id, from_at, until_at, reason',
    `$1, ${id('n')}, case when n > 5 then ${id('1')} else $3::uuid end, ${id('2')}, ${at('n')}, ${at('n + 60')}, 'Away'`,
  ],
  [
    'agents',
    'tenant_id, id, name, display_name, status, created_by',
    `$1, ${id('n')}, 'agent-' || n, 'Agent ' || n, 'active', $3::uuid`,
  ],
  // Agent 1 has very many versions, each other agent has one.
  [
    'agent_versions',
    'tenant_id, id, agent_id, version, manifest_yaml, manifest, manifest_digest, created_by',
    `$1, ${id('n')}, ${id('n')}, '1.0.0', 'name: a', '{}', 'd' || n, $3::uuid`,
  ],
  [
    'agent_versions',
    'tenant_id, id, agent_id, version, manifest_yaml, manifest, manifest_digest, created_by',
    `$1, ${id('n + 10000000')}, ${id('1')}, '2.0.' || n, 'name: a', '{}', 'e' || n, $3::uuid`,
  ],
  [
    'releases',
    'tenant_id, id, agent_id, agent_version_id, environment, digest, content, status, approval_id, proposed_by',
    `$1, ${id('n')}, case when n > 5 then ${id('1')} else ${id('2')} end, ${id('1')}, 'production', 'sha256:' || repeat('0', 64), '${JSON.stringify(content)}',
      'superseded', ${id('1')}, $3::uuid`,
  ],
  ['policies', 'tenant_id, id, name, created_by', `$1, ${id('n')}, 'policy-' || n, $3::uuid`],
  [
    'policy_versions',
    'tenant_id, policy_id, version, source, digest, status, created_by',
    `$1, ${id('1')}, n, 'permit (principal, action, resource);', 'sha256:' || repeat('0', 64), 'published', $3::uuid`,
  ],
  [
    'policy_bindings',
    'tenant_id, id, agent_id, environment, policy_id, policy_version, mode, status, approval_id, proposed_by',
    `$1, ${id('n')}, case when n > 5 then ${id('1')} else ${id('2')} end, ${spread('production', 'staging')}, ${id('1')}, 1, 'enforce',
      ${spread('superseded', 'proposed', 'active', 'revoked', 'rejected', 'withdrawn')}, ${id('1')}, $3::uuid`,
  ],
  [
    'policy_decisions',
    'tenant_id, id, agent_id, environment, action, resource, effect, obligations, reasons, policies, input_digest',
    `$1, ${id('n')}, case when n > 5 then ${id('1')} else ${id('2')} end, ${spread('production', 'staging')}, 'tool.call', 'payments/lookup_order',
      ${spread('allow', 'deny', 'require_approval')}, '[]', '[]', '[]', 'sha256:' || repeat('0', 64)`,
  ],
  [
    'approvals',
    `tenant_id, id, kind, subject_id, status, payload_digest, requested_by, identities, group_id, quorum,
      expires_at`,
    `$1, ${id('n')}, 'policy_binding', ${id('n')}, case when n between 11 and 500 then 'pending' else ${spread('approved', 'rejected', 'expired', 'canceled')} end,
      'sha256:' || repeat('0', 64), ${id('2')},
      jsonb_build_array(jsonb_build_object('personId', case when n > 15 then ${id('2')} else $3::uuid end, 'link', 'requester')),
      ${id('1')}, 1, case when n > 15 then timestamptz '2099-01-01' else clock_timestamp() + interval '10 minutes' end`,
  ],
  [
    'executions',
    'tenant_id, id, agent_id, release_id, environment, status, trace_id, started_by, created_at, ended_at, stop_requested_at',
    `$1, ${id('n')}, case when n > 5 then ${id('1')} else ${id('2')} end, ${id('1')}, ${spread('production', 'staging')},
      ${spread('succeeded', 'failed', 'running', 'waiting_input', 'indeterminate', 'denied')}, lpad(to_hex(n), 32, '0'),
      case when n > 5 then ${id('1')} else ${id('2')} end, ${at('n')}, ${at('n')},
      case when n > 5 then null else ${at('n')} end`,
  ],
  ['execution_events', 'tenant_id, execution_id, seq, type', `$1, ${id('1')}, n, 'step.started'`],
  [
    'input_events',
    'tenant_id, id, identity, fingerprint, execution_id, input_name, status, submitted_by, expires_at',
    `$1, ${id('n')}, 'i-' || n, 'sha256:' || repeat('0', 64), case when n > 5 then ${id('1')} else ${id('2')} end, 'ok',
      ${spread('accepted', 'received', 'unmatched_expired', 'wait_terminal')}, $3::uuid, ${at('n')}`,
  ],
  [
    'input_waits',
    'tenant_id, id, execution_id, step_id, input_name, on_expiry, status, expires_at',
    `$1, ${id('n')}, case when n > 5 then ${id('1')} else ${id('2')} end, 'ok', 'ok-' || n, 'fail',
      ${spread('satisfied', 'open', 'matched', 'canceled', 'expired', 'superseded')}, ${at('n')}`,
  ],
  [
    'input_resolutions',
    'tenant_id, id, wait_id, event_id, channel, delivery, application',
    `$1, ${id('n')}, ${id('n')}, ${id('n')}, 'event', ${spread('delivered', 'pending', 'in_flight', 'failed', 'unknown')}, 'applied'`,
  ],
  [
    'erasures',
    'tenant_id, id, status, subject_digest, reason, requested_by, completed_at',
    `$1, ${id('n')}, 'completed', 'sha256:' || repeat('0', 64), 'As asked', $3::uuid, ${at('n')}`,
  ],
  [
    'legal_holds',
    'tenant_id, id, from_day, to_day, reason, created_by, released_at',
    `$1, ${id('n')}, '2024-01-01', '2024-01-02', 'Case ' || n, $3::uuid, ${at('n')}`,
  ],
  [
    'secrets',
    'tenant_id, id, kind, name, sealed_value, created_by, archived_at',
    `$1, ${id('n')}, case when n > 5 then 'api_key' else 'value' end, 'secret-' || n, case when n in (1, 2) then '\\x00'::bytea end, $3::uuid,
      case when n in (1, 2, 6, 7) then null else ${at('n')} end`,
  ],
  [
    'connection_tokens',
    'tenant_id, id, member_id, name, use, token_sha256, created_by, expires_at, revoked_at',
    `$1, ${id('n')}, case when n > 5 then ${id('1')} else ${id('2')} end, 'token-' || n, 'telemetry', sha256(('token-' || n)::bytea), $3::uuid,
      ${at('n + 1')}, case when n > 5 then null else ${at('n')} end`,
  ],
  [
    'standing_grants',
    'tenant_id, id, source_id, approval_id, agent_id, release_id, environment, resource, policies, group_id, status, proposed_by, max_uses, until_at, created_at, ended_at',
    `$1, ${id('n')}, ${id('n')}, ${id('n')}, case when n > 5 then ${id('1')} else ${id('2')} end, ${id('1')}, 'production',
      'payments/issue_refund', '[]', ${id('1')},
      ${spread('expired', 'proposed', 'active', 'used_up', 'revoked', 'lapsed', 'rejected', 'withdrawn')}, $3::uuid, 10,
      ${at('n + 60')}, ${at('n')}, ${at('n')}`,
  ],
  [
    'standing_grant_uses',
    'tenant_id, grant_id, number, decision_id, audit_id, used_at',
    `$1, case when n > 5 then ${id('1')} else ${id('2')} end, n, ${id('n')}, ${id('n')}, ${at('n')}`,
  ],
  [
    'notification_channels',
    'tenant_id, id, kind, name, events, endpoint, host, created_by',
    `$1, ${id('n')}, 'webhook', 'channel-' || n, '["alarm.raised"]', '\\x00'::bytea, 'hooks.example.com', $3::uuid`,
  ],
  [
    'notification_deliveries',
    'tenant_id, id, channel_id, event, subject_id, facts, delivery, settled_at',
    `$1, ${id('n')}, case when n > 5 then ${id('1')} else ${id('2')} end, 'alarm.raised', 's-' || n, '{}',
      ${spread('delivered', 'pending', 'in_flight', 'failed', 'unknown')}, ${at('n')}`,
  ],
  [
    'evidence_exports',
    'tenant_id, id, status, start_at, end_at, include_proofs, include_raw_payloads, requested_by',
    `$1, ${id('n')}, 'failed', ${at('n')}, ${at('n + 1')}, true, false, $3::uuid`,
  ],
  [
    'traces',
    'tenant_id, trace_id, agent_id, name, started_at, ended_at, error_count, kinds, search, agent_name',
    `$1, lpad(to_hex(n), 32, '0'), case when n > 5 then ${id('1')} else ${id('2')} end, 'answer', ${at('n')},
      case when n = 1 then null else ${at('n + 1')} end, case when n = 2 then 1 else 0 end,
      case when n > 5 then array['model'] else array['tool'] end, 'answer', case when n > 5 then 'agent-1' else 'agent-2' end`,
  ],
  ['observed_agents', 'tenant_id, name, last_trace_id', `$1, 'seen-' || n, lpad(to_hex(n), 32, '0')`],
  [
    'audit_records',
    'tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at',
    `$1, '2024-06-01', n, ${id('n')}, ${spread('tool.called', 'agent.created')},
      jsonb_build_object('auditId', ${id('n')}, 'at', '2024-06-01T00:00:00.000Z', 'action', ${spread('tool.called', 'agent.created')},
        'actor', jsonb_build_object('type', 'person', 'name', 'Vera', 'id', case when n > 5 then ${id('1')} else ${id('2')} end),
        'resource', jsonb_build_object('type', 'agent', 'id', case when n > 5 then ${id('1')} else ${id('2')} end)),
      decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex'), ${at('n')}`,
  ],
]

/** Extends the lists of a tenant from `from` to `to` rows each. `owner` bypasses row-level security. */
export async function fillLists(
  owner: Pool | ClientBase,
  { tenantId, memberId, from, to }: { tenantId: string; memberId: string; from: number; to: number },
): Promise<void> {
  for (const [table, columns, values] of statements)
    await owner.query(
      `insert into ${table} (${columns}) select ${values} from generate_series($4::int + 1, $2::int) n where $3::uuid is not null`,
      [tenantId, to, memberId, from],
    )
  await owner.query('vacuum analyze')
}
