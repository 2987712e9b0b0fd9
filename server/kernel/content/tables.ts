/**
 * A table with content: values that people or systems gave the product to work with, encrypted with the tenant's key.
 */
export type ContentTable = {
  table: string
  /** The name of this table's rows in `unsealed`, as used by migrations. */
  kind: string
  /** The primary key without the tenant. */
  key: readonly string[]
  /** The types of these columns, in their order. */
  keyTypes: readonly string[]
  /** The columns that a row's encrypted values are bound to: bytes that are moved elsewhere can't be decrypted. */
  place: readonly string[]
  /** bytea columns: JSON, encrypted by the tenant's cipher for `contentContext`. */
  columns: readonly string[]
  /** Columns with keyed digests of texts from outside (keyed-digest.ts), by which rows are found. */
  digests?: readonly string[]
}

/**
 * Every column that contains content, except those of spans, which have commitments (server/traces). docs/privacy.md
 * describes their content.
 */
export const contentTables: readonly ContentTable[] = [
  {
    table: 'executions',
    kind: 'execution',
    key: ['id'],
    keyTypes: ['uuid'],
    place: ['id'],
    columns: ['input', 'output', 'error'],
    digests: ['idempotency_key'],
  },
  {
    table: 'execution_steps',
    kind: 'execution_step',
    key: ['execution_id', 'step_id'],
    keyTypes: ['uuid', 'text'],
    place: ['execution_id', 'step_id'],
    columns: ['arguments', 'output'],
  },
  {
    table: 'execution_events',
    kind: 'execution_event',
    key: ['execution_id', 'seq'],
    keyTypes: ['uuid', 'integer'],
    // The event's number is assigned by the statement that inserts it.
    place: ['execution_id', 'type', 'step_id'],
    columns: ['data'],
  },
  {
    table: 'approvals',
    kind: 'approval',
    key: ['id'],
    keyTypes: ['uuid'],
    place: ['id'],
    columns: ['payload', 'presentation'],
    digests: ['shape_digest', 'object_digest'],
  },
  {
    table: 'policy_decisions',
    kind: 'policy_decision',
    key: ['id'],
    keyTypes: ['uuid'],
    place: ['id'],
    columns: ['request'],
  },
  {
    table: 'input_events',
    kind: 'input_event',
    key: ['id'],
    keyTypes: ['uuid'],
    place: ['id'],
    columns: ['data', 'attributes'],
    digests: ['identity'],
  },
  {
    table: 'input_resolutions',
    kind: 'input_resolution',
    key: ['id'],
    keyTypes: ['uuid'],
    place: ['id'],
    columns: ['recipient'],
  },
  { table: 'mails', kind: 'mail', key: ['id'], keyTypes: ['uuid'], place: ['id'], columns: ['message'] },
  { table: 'files', kind: 'file', key: ['id'], keyTypes: ['uuid'], place: ['id'], columns: ['name'] },
  {
    table: 'idempotency_keys',
    kind: 'idempotency_key',
    key: ['member_id', 'operation', 'key'],
    keyTypes: ['uuid', 'text', 'text'],
    place: ['member_id', 'operation', 'key'],
    columns: ['response'],
    digests: ['key', 'fingerprint'],
  },
]

/** The encryption context of one value. `place`: the row's values, in the order of the table's `place`. */
export const contentContext = (table: string, place: readonly (string | null)[], column: string): string =>
  `${table}/${place.map((part) => part ?? '').join('/')}/${column}`
