/** A table that holds content: values that people or systems gave the product to work with, encrypted with the tenant's key. */
export type ContentTable = {
  table: string
  /** How migrations call a row of it in `unsealed`. */
  kind: string
  /** The primary key without the tenant. */
  key: readonly string[]
  /** What of a row its encrypted values are bound to: bytes that are moved to another place do not open. */
  place: readonly string[]
  /** Each bytea: JSON, encrypted by the tenant's cipher for `contentContext`. */
  columns: readonly string[]
  /** Columns of texts that others chose, as keyed digests (keyed-digest.ts): rows are found by them. */
  digests?: readonly string[]
}

/** Every column that holds content, but for spans, which have commitments (server/traces). docs/privacy.md says what is in each. */
export const contentTables: readonly ContentTable[] = [
  {
    table: 'executions',
    kind: 'execution',
    key: ['id'],
    place: ['id'],
    columns: ['input', 'output', 'error'],
    digests: ['idempotency_key'],
  },
  {
    table: 'execution_steps',
    kind: 'execution_step',
    key: ['execution_id', 'step_id'],
    place: ['execution_id', 'step_id'],
    columns: ['arguments', 'output'],
  },
  {
    table: 'execution_events',
    kind: 'execution_event',
    key: ['execution_id', 'seq'],
    // Its number is given by the statement that inserts it.
    place: ['execution_id', 'type', 'step_id'],
    columns: ['data'],
  },
  { table: 'approvals', kind: 'approval', key: ['id'], place: ['id'], columns: ['payload', 'presentation'] },
  { table: 'policy_decisions', kind: 'policy_decision', key: ['id'], place: ['id'], columns: ['request'] },
  {
    table: 'input_events',
    kind: 'input_event',
    key: ['id'],
    place: ['id'],
    columns: ['data', 'attributes'],
    digests: ['identity'],
  },
  { table: 'input_resolutions', kind: 'input_resolution', key: ['id'], place: ['id'], columns: ['recipient'] },
  { table: 'mails', kind: 'mail', key: ['id'], place: ['id'], columns: ['message'] },
  { table: 'files', kind: 'file', key: ['id'], place: ['id'], columns: ['name'] },
  {
    table: 'idempotency_keys',
    kind: 'idempotency_key',
    key: ['member_id', 'operation', 'key'],
    place: ['member_id', 'operation', 'key'],
    columns: ['response'],
    digests: ['key', 'fingerprint'],
  },
]

/** What one value is encrypted for. `place`: the row's, in the order of the table's `place`. */
export const contentContext = (table: string, place: readonly (string | null)[], column: string): string =>
  `${table}/${place.map((part) => part ?? '').join('/')}/${column}`
