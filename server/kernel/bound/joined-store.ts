import { type RawBuilder, sql } from 'kysely'
import { currentText, idText, onlyRows, rowText } from './state-text-store.ts'
import { type Checked, compared, type Found } from './store.ts'
import type { BoundType } from './types.ts'

// Objects with their bound states as parts of a larger statement, so that it reads everything that an operation depends on.

/**
 * One object as part of a larger statement: a JSON array for `checkedFrom`. `id`, and `key` for the columns of its key, are
 * expressions of that statement, which must be the first of its transaction that reads them.
 */
export function objectJson(bound: BoundType, id: RawBuilder<unknown>, key: readonly RawBuilder<unknown>[]) {
  const { table, type } = bound
  const parts = bound.key.map(([column, kind], at) => sql`${sql.raw(`r.${column}`)} = ${key[at]}::${sql.raw(kind)}`)
  return sql<FoundInJson[]>`(select json_agg(${sql.raw(foundText('given.id', rowText(bound)))})
    from (select ${id}::text as id) as given
    left join ${sql.raw(table)} r on r.tenant_id = app_tenant() and ${sql.join(parts, sql` and `)} ${sql.raw(onlyRows(bound))}
    left join bound_states b on b.tenant_id = app_tenant() and b.type = '${sql.raw(type)}' and b.id = given.id)`
}

/** The object of the row `r` that the statement reads itself. */
export function rowObjectJson(bound: BoundType) {
  const { type, only } = bound
  const [id, text] = [idText(bound), currentText(bound)]
  const row = only === undefined ? text : `case when ${only} then ${text} end`
  return sql<FoundInJson>`(select ${sql.raw(foundText(id, row))} from (select) as one
    left join bound_states b on b.tenant_id = app_tenant() and b.type = '${sql.raw(type)}' and b.id = ${sql.raw(id)})`
}

/** The same as `objectJson` for all objects whose key begins with `parent`. Null for none. */
export function objectsBelowJson(bound: BoundType, parent: RawBuilder<unknown>) {
  const { table, type, key } = bound
  const [column, kind] = key[0] ?? []
  if (column === undefined || kind === undefined) throw new Error(`The type ${type} lacks a key.`)
  return sql<FoundInJson[] | null>`(select json_agg(${sql.raw(foundText('coalesce(r.id_text, b.id)', 'r.row'))})
    from (select ${sql.raw(`${idText(bound)} as id_text, ${currentText(bound)} as row`)} from ${sql.raw(table)} r
      where r.tenant_id = app_tenant() and ${sql.raw(`r.${column}`)} = ${parent}::${sql.raw(kind)}) r
    full join (select * from bound_states where tenant_id = app_tenant() and type = '${sql.raw(type)}'
      and id > ${parent}::text || '/' and id < ${parent}::text || '0') b on b.id = r.id_text)`
}

const foundText = (id: string, row: string): string =>
  `json_build_object('id', ${id}, 'row', ${row}, 'form', b.form, 'revision', b.revision,
    'digest', encode(b.digest, 'hex'), 'auditId', b.audit_id, 'mac', encode(b.mac, 'hex'))`

/** An object in the JSON of a larger statement: its bytes are in hex. */
export type FoundInJson = Omit<Found, 'digest' | 'mac'> & { digest: string | null; mac: string | null }

const bytesOf = (hex: string | null): Buffer | null => (hex === null ? null : Buffer.from(hex, 'hex'))

export const checkedFrom = (found: readonly FoundInJson[] | null): Checked[] =>
  (found ?? []).map((one) => ({
    ...compared({ ...one, digest: bytesOf(one.digest), mac: bytesOf(one.mac) }),
    touched: false,
  }))
