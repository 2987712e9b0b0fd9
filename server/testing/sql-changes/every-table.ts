import { boundTypes } from '#server/kernel/bound/types.ts'
import { logTables } from './log-changes.ts'

/** Tables whose rows the matrix of rows changes. */
export const rowTables = new Set([...boundTypes.map(({ table }) => table), 'bound_adoptions', 'bound_states'])

/** Tables that the matrix leaves out, and why a change to one of them proves nothing. */
const withoutEvidence: Record<string, string> = {
  account_links: 'How people sign in. The log has each change.',
  api_key_index: 'Finds a key by its digest; the key is in api_keys.',
  api_keys: 'Credentials. A key that was inserted acts under its own id in the log.',
  audit_cosignatures: 'Signatures of witnesses, which a reader checks with the witness’s key.',
  bound_adoption_leases: 'Which worker vouches for the end of an adoption. A lease counts only with its mac.',
  branding_images: 'How pages look.',
  connection_token_index: 'Finds a connection token by its digest; the token is bound.',
  connection_token_uses: 'When a connection token was used last.',
  content_formats: 'When a tenant’s content got its format. Content is decrypted or refused whatever it states.',
  dpop_proofs: 'Proofs of possession that were used.',
  erasure_archives:
    'Which archives an erasure has yet to search. What it did is in the log and in the erasure, which is bound.',
  evidence_exports:
    'Jobs. Each is compared with its records when it runs and is read (as-logged.test.ts changes them), and its place must be its own.',
  execution_charges: 'What an execution has used of its budget.',
  gateway_tasks: 'Handles by which MCP clients ask for results. Their calls are executions, which are bound.',
  idempotency_keys: 'Responses that are repeated to the caller who got them first.',
  listening_processes: 'Which processes are notified of changes. They read the tables.',
  known_places: 'Where people signed in from, to notify them of a new place.',
  machine_uses: 'When a service account was used last.',
  mails: 'Mails to be sent. What they are about is bound.',
  member_languages: 'In which language people read.',
  member_sponsors: 'Who vouched for a member. The log has each of them.',
  member_tokens:
    'A member’s newest token. It counts only with its mac, and who it gives a seat is in mapped_members, which is bound.',
  notification_channels: 'Where messages go, which decide nothing. The log has each change.',
  notification_deliveries: 'Messages to be sent. What they are about is bound.',
  observed_agents: 'Agents that telemetry names, for a list.',
  partial_texts: 'Texts of spans in progress.',
  passkey_challenges: 'Challenges that were not answered yet.',
  policy_binding_revisions: 'A counter that makes processes read the bindings again, which are bound.',
  policy_budget_reservations: 'What waits for its budget.',
  policy_budget_windows: 'What a budget has left. Each decision is bound.',
  provisioned_groups:
    'What a provider calls its groups. The log has each name, which a change compares; who is in one is bound.',
  provisioned_members: 'What a provider calls its people. The names of members are bound.',
  rate_budgets: 'Limits of requests.',
  realm_artifacts: 'Sessions and codes of the sign-in.',
  realm_clients: 'How programs sign in.',
  realm_client_secrets: 'How programs sign in.',
  realm_sign_in_links: 'How people sign in.',
  realm_users: 'How people sign in. Passkeys, which confirm decisions, are bound.',
  registered_clients: 'How programs sign in. The log has each registration.',
  approval_words: 'An index of requests, which can be made again.',
  saved_views: 'How people look at lists.',
  schema_migrations: 'What the database was migrated to.',
  secrets: 'Encrypted values, which the log names without their content.',
  siem_positions: 'What was sent to the operator’s monitoring. What is sent again has the same id.',
  tenants:
    'The directory. A leaf of the log contains the tenant’s external id, and an export compares the name with the record of its creation.',
  tool_schemas: 'What tool servers offered, for a comparison.',
  unsealed: 'Which traces wait for their end.',
}

/**
 * Spans of telemetry, which are proven by the record of the request that brought them: the matrix of rows changes them, too.
 * Those of executions are bound.
 */
export const spanTables = ['batch_resources', 'spans', 'telemetry_batches', 'traces'] as const

/** Tables that are neither in a matrix nor listed above, and listed ones that don't exist. */
export function notInMatrix(tables: readonly string[]): string[] {
  const known = new Set([...rowTables, ...Object.keys(logTables), ...Object.keys(withoutEvidence), ...spanTables])
  return [...tables.filter((table) => !known.has(table)), ...[...known].filter((table) => !tables.includes(table))]
}
