// The rules for the server's SQL that server/architecture.test.ts checks. Owners and readers are folders of server/.

/**
 * `owner`: the only domain whose SQL writes the table. `readBy`: other domains whose SQL reads it, which a change of it
 * affects.
 */
export const tableOwners: Readonly<Record<string, { owner: string; readBy: readonly string[] }>> = {
  access_changes: { owner: 'access', readBy: [] },
  account_links: { owner: 'tenants', readBy: [] },
  agent_owners: { owner: 'agents', readBy: ['approvals', 'evidence'] },
  agent_versions: { owner: 'agents', readBy: ['evidence', 'executions', 'policies', 'releases'] },
  agents: { owner: 'agents', readBy: ['evidence', 'executions', 'policies', 'releases', 'telemetry', 'traces'] },
  alarms: { owner: 'audit', readBy: [] },
  api_key_index: { owner: 'secrets', readBy: ['kernel'] },
  api_keys: { owner: 'secrets', readBy: ['kernel'] },
  approval_questions: { owner: 'approvals', readBy: ['evidence'] },
  approval_revisions: { owner: 'approvals', readBy: ['evidence'] },
  approval_terms: { owner: 'approvals', readBy: [] },
  approval_votes: { owner: 'approvals', readBy: ['evidence'] },
  approvals: { owner: 'approvals', readBy: ['evidence', 'executions', 'privacy'] },
  approver_delegations: { owner: 'approvals', readBy: [] },
  approver_group_members: { owner: 'tenants', readBy: ['approvals'] },
  approver_groups: { owner: 'tenants', readBy: ['approvals'] },
  audit_checkpoints: { owner: 'audit', readBy: [] },
  audit_cosignatures: { owner: 'audit', readBy: [] },
  audit_days: { owner: 'audit', readBy: ['kernel'] },
  audit_records: { owner: 'kernel', readBy: ['audit'] },
  audit_seal_checkpoints: { owner: 'audit', readBy: [] },
  audit_seals: { owner: 'audit', readBy: [] },
  audit_tiles: { owner: 'audit', readBy: [] },
  audit_trees: { owner: 'audit', readBy: [] },
  batch_resources: { owner: 'traces', readBy: ['evidence'] },
  bound_adoption_leases: { owner: 'kernel', readBy: [] },
  bound_adoptions: { owner: 'kernel', readBy: [] },
  bound_states: { owner: 'kernel', readBy: [] },
  branding_images: { owner: 'tenants', readBy: [] },
  connection_token_index: { owner: 'connection-tokens', readBy: ['kernel'] },
  connection_token_uses: { owner: 'kernel', readBy: ['connection-tokens'] },
  connection_tokens: { owner: 'connection-tokens', readBy: ['kernel'] },
  content_formats: { owner: 'kernel', readBy: [] },
  dpop_proofs: { owner: 'kernel', readBy: [] },
  erased_content: { owner: 'kernel', readBy: ['evidence'] },
  erasure_archives: { owner: 'evidence', readBy: [] },
  erasures: { owner: 'privacy', readBy: ['kernel'] },
  evidence_exports: { owner: 'evidence', readBy: [] },
  execution_charges: { owner: 'executions', readBy: [] },
  execution_events: { owner: 'executions', readBy: ['evidence'] },
  execution_steps: { owner: 'executions', readBy: [] },
  executions: { owner: 'executions', readBy: ['evidence', 'files', 'privacy', 'traces'] },
  file_uses: { owner: 'files', readBy: ['evidence'] },
  files: { owner: 'files', readBy: ['evidence'] },
  idempotency_keys: { owner: 'kernel', readBy: [] },
  input_events: { owner: 'inputs', readBy: ['evidence'] },
  input_resolutions: { owner: 'inputs', readBy: ['evidence', 'privacy'] },
  input_waits: { owner: 'inputs', readBy: ['evidence', 'privacy'] },
  known_places: { owner: 'identity', readBy: [] },
  legal_holds: { owner: 'privacy', readBy: ['evidence', 'files', 'kernel', 'traces'] },
  machine_uses: { owner: 'kernel', readBy: ['secrets', 'tenants'] },
  mails: { owner: 'mail', readBy: ['privacy'] },
  member_sponsors: { owner: 'tenants', readBy: [] },
  members: {
    owner: 'tenants',
    readBy: ['agents', 'approvals', 'connection-tokens', 'identity', 'kernel', 'privacy', 'traces'],
  },
  notification_channels: { owner: 'notifications', readBy: [] },
  notification_deliveries: { owner: 'notifications', readBy: [] },
  observed_agents: { owner: 'traces', readBy: ['telemetry'] },
  partial_texts: { owner: 'traces', readBy: [] },
  passkey_challenges: { owner: 'passkeys', readBy: [] },
  passkeys: { owner: 'passkeys', readBy: [] },
  policies: { owner: 'policies', readBy: [] },
  policy_binding_revisions: { owner: 'policies', readBy: [] },
  policy_bindings: { owner: 'policies', readBy: ['evidence'] },
  policy_budget_reservations: { owner: 'policies', readBy: [] },
  policy_budget_windows: { owner: 'policies', readBy: [] },
  policy_decisions: { owner: 'policies', readBy: ['evidence'] },
  policy_versions: { owner: 'policies', readBy: ['evidence'] },
  rate_budgets: { owner: 'kernel', readBy: [] },
  realm_artifacts: { owner: 'identity', readBy: [] },
  realm_client_secrets: { owner: 'identity', readBy: [] },
  realm_clients: { owner: 'identity', readBy: [] },
  realm_sign_in_links: { owner: 'identity', readBy: [] },
  realm_users: { owner: 'identity', readBy: [] },
  releases: { owner: 'releases', readBy: ['agents', 'evidence', 'executions', 'policies'] },
  schema_migrations: { owner: 'kernel', readBy: [] },
  saved_views: { owner: 'saved-views', readBy: [] },
  secrets: { owner: 'secrets', readBy: ['kernel'] },
  signing_keys: { owner: 'kernel', readBy: [] },
  spans: { owner: 'traces', readBy: ['evidence'] },
  telemetry_batches: { owner: 'traces', readBy: ['evidence'] },
  tenant_keys: { owner: 'kernel', readBy: [] },
  tenants: { owner: 'tenants', readBy: ['audit', 'kernel'] },
  tool_schemas: { owner: 'policies', readBy: [] },
  trace_reveals: { owner: 'traces', readBy: [] },
  traces: { owner: 'traces', readBy: [] },
  unmask_grants: { owner: 'traces', readBy: [] },
  unsealed: { owner: 'kernel', readBy: [] },
}

/** Tables that only the database itself writes, by a trigger or by the functions that server/kernel/db/grants.ts lists. */
export const writtenByDatabase: readonly string[] = [
  'audit_days',
  'audit_records',
  'audit_tiles',
  'policy_binding_revisions',
]

/**
 * Files whose statements name their table at run time: `endProposalIn`, to which an owner's store passes its table, and
 * stores that encrypt, erase or expire content in the tables of kernel/content/tables.ts.
 */
export const tableAtRunTime: readonly string[] = [
  'server/kernel/content/format-store.ts',
  'server/kernel/content/plaintext-store.ts',
  'server/kernel/db/end-proposal.ts',
  'server/privacy/content-store.ts',
  'server/privacy/retention-store.ts',
]

/**
 * Functions of a store that another domain may call, in addition to its reads (find, list, count, read, stream, is): they
 * write or lock, and the other domain decides when. Keys are the calling domains.
 */
export const lentWrites: Readonly<Record<string, readonly string[]>> = {
  access: [
    'tenants/account-link-store.ts setProved',
    'tenants/group-store.ts insertGroup',
    'tenants/group-store.ts lockGroup',
    'tenants/group-store.ts replaceGroupMembers',
    'tenants/machine-store.ts lockNames',
    'tenants/member-store.ts endTokens',
    'tenants/member-store.ts lockMember',
    'tenants/member-store.ts lockPrincipal',
    'tenants/member-store.ts setMember',
    'tenants/store.ts lockTenant',
    'tenants/store.ts setTenant',
  ],
  'connection-tokens': ['tenants/machine-store.ts lockServiceAccountById'],
  identity: ['tenants/member-store.ts endTokens'],
  releases: ['agents/store.ts setAgentActive'],
  secrets: ['tenants/machine-store.ts setMachineRemoved'],
  'service-accounts': ['tenants/machine-store.ts lockMachine', 'tenants/machine-store.ts setMachineStatus'],
}
