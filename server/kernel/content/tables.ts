/** A table that holds content: values that people or systems gave the product to work with, encrypted with the tenant's key. */
export type ContentTable = {
  table: string
  /** How migrations call a row of it in `unsealed`. */
  kind: string
  /** The primary key without the tenant. */
  key: readonly string[]
  /** What of a row its sealed values are bound to: bytes that are moved to another place do not open. */
  place: readonly string[]
  /** Each bytea: JSON, sealed by the tenant's sealer for `contentContext`. */
  columns: readonly string[]
}

/** Every column that holds content, but for spans, which have commitments (server/traces). docs/privacy.md says what is in each. */
export const contentTables: readonly ContentTable[] = [
  {
    table: 'executions',
    kind: 'execution',
    key: ['id'],
    place: ['id'],
    columns: ['input', 'output', 'error'],
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
]

/** What one value is sealed for. `place`: the row's, in the order of the table's `place`. */
export const contentContext = (table: string, place: readonly (string | null)[], column: string): string =>
  `${table}/${place.map((part) => part ?? '').join('/')}/${column}`
