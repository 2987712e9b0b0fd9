import { CompiledQuery } from 'kysely'
import type { Transaction } from '#server/kernel/db/closing.ts'
import { constantText } from '#server/kernel/db/statements/constant-text.ts'
import type { BoundState } from './state.ts'
import { currentText, idText, onlyRows, rowText, stateText, valuesText } from './state-text-store.ts'
import { type BoundType, boundType, type StoredState } from './types.ts'

// Statements are built once for each type, or set of types, and then constant, so that frequent ones are prepared.

/** A row that exists or existed, next to its bound state. `row`: JSON of the columns of its form, null if it is missing. */
export type Compared = {
  id: string
  row: string | null
  bound: (BoundState & { mac: Buffer }) | null
}

/** `touched`: the transaction has written it before, so that it matches its state only when it is committed. */
export type Checked = Compared & { touched: boolean }

/** An object as it is known again: `values` is the text of its row and state together (`valuesText`). */
export type Values = { id: string; values: string; touched: boolean }

/** The same for a row that a transaction touched. `before`: the row as it was; null if it was inserted. */
export type Touched = Compared & { tenantId: string; before: string | null }

type FoundTouched = Found & { type: string; tenantId: string; before: string | null }

export type Found = {
  id: string
  row: string | null
  form: number | null
  revision: number | null
  digest: Buffer | null
  auditId: string | null
  mac: Buffer | null
}

const boundColumns = 'b.form, b.revision, b.digest, b.audit_id, b.mac'

const texts = new Map<string, string>()
const built = (name: string, build: () => string): string => {
  const known = texts.get(name)
  if (known !== undefined) return known
  const text = build()
  texts.set(name, text)
  return text
}

/** The notes of a table's triggers in this transaction (migration 0062), as a JSON array. */
const notes = (table: string): string =>
  `('[' || rtrim(coalesce(current_setting('app.touched_${table}', true), ''), ',') || ']')::jsonb`

const touchedColumn = ({ table }: BoundType, id: string): string =>
  `${id} in (select array_to_string(array(select jsonb_array_elements_text(note->'k')), '/')
    from jsonb_array_elements(${notes(table)}) as noted (note)) as touched`

/**
 * Joins the row `r` and its bound state `b` by their primary keys. The limits keep the planner from reading all of a tenant's rows
 * for a hash join: it takes the JSON of the notes for 100 rows, and a table that was small at the first plan for a small one.
 */
const rowAndState = ({ table, type }: BoundType, parts: readonly string[], id: string, only = ''): string =>
  `left join lateral (select * from ${table} r
      where r.tenant_id = app_tenant() and ${parts.join(' and ')} ${only} limit 1) r on true
    left join lateral (select * from bound_states b
      where b.tenant_id = app_tenant() and b.type = '${type}' and b.id = ${id} limit 1) b on true`

const touchedText = (bound: BoundType): string => {
  const { table, key, type } = bound
  const parts = key.map(([column, kind], index) => `r.${column} = (note.k->>${index})::${kind}`)
  return `(with notes as materialized (
      select distinct on (note->'k') note->'k' as k, note->'o' as o
      from jsonb_array_elements(${notes(table)}) with ordinality as noted (note, place)
      order by note->'k', place
    ), note as (select k, o, array_to_string(array(select jsonb_array_elements_text(k)), '/') as id from notes)
    select '${type}' as type, app_tenant() as tenant_id, note.id, ${rowText(bound)} as row, ${boundColumns},
      (select ${stateText(bound, (column) => `note.o->'${column}'`)}
        from jsonb_populate_record(null::${table}, note.o) r where note.o is not null) as before
    from note
    ${rowAndState(bound, parts, 'note.id')})`
}

/** The rows of these tables that this transaction touched, in one statement. */
export async function readTouched(tx: Transaction, written: readonly BoundType[]): Promise<Map<BoundType, Touched[]>> {
  const found = new Map<BoundType, Touched[]>(written.map((bound) => [bound, []]))
  if (written.length === 0) return found
  const sorted = written.toSorted((a, b) => (a.type < b.type ? -1 : 1))
  const text = built(`touched ${sorted.map(({ type }) => type).join(' ')}`, () =>
    constantText(sorted.map(touchedText).join(' union all ')),
  )
  const { rows } = await tx.executeQuery<FoundTouched>(CompiledQuery.raw(text))
  for (const row of rows)
    found.get(boundType(row.type))?.push({ ...compared(row), tenantId: row.tenantId, before: row.before })
  return found
}

/** Forgets the notes, when a transaction continues after its rows were bound. */
export async function forgetTouched(tx: Transaction, tables: readonly string[]): Promise<void> {
  for (const table of tables)
    await tx.executeQuery(CompiledQuery.raw(`select set_config('app.touched_${table}', '', true)`))
}

/** The objects with these ids, also those that are missing on one side. */
export async function readObjects(tx: Transaction, bound: BoundType, ids: readonly string[]): Promise<Checked[]> {
  return (await readObjectsOf(tx, [{ bound, ids }])).get(bound.type) ?? []
}

type Asked = readonly { bound: BoundType; ids: readonly string[] }[]

/** The same for several types, in one statement. By type. */
export const readObjectsOf = (tx: Transaction, asked: Asked): Promise<Map<string, Checked[]>> =>
  readGiven(tx, asked, 'objects', checked)

/** The same with their values, and the values alone. */
export const readObjectsWithValues = (tx: Transaction, asked: Asked): Promise<Map<string, (Checked & Values)[]>> =>
  readGiven(tx, asked, 'objects with values', (found) => ({ ...checked(found), values: found.values }))
export const readValuesOf = (tx: Transaction, asked: Asked): Promise<Map<string, Values[]>> =>
  readGiven(tx, asked, 'values', ({ id, values, touched }) => ({ id, values, touched }))

const objectColumns = (bound: BoundType): string => `${rowText(bound)} as row, ${boundColumns}`
const valuesColumn = (bound: BoundType): string => `${valuesText(bound)} as values`
const columnsOf = {
  objects: objectColumns,
  'objects with values': (bound: BoundType) => `${objectColumns(bound)}, ${valuesColumn(bound)}`,
  values: valuesColumn,
}

async function readGiven<T>(
  tx: Transaction,
  asked: Asked,
  what: keyof typeof columnsOf,
  as: (found: FoundChecked & Values) => T,
): Promise<Map<string, T[]>> {
  const found = new Map<string, T[]>()
  if (asked.length === 0) return found
  const selects: string[] = []
  const values: unknown[][] = []
  for (const { bound, ids } of asked) {
    const first = values.length + 1
    selects.push(built(`${what} ${first} ${bound.type}`, () => selectObjects(bound, first, columnsOf[what](bound))))
    const parts = ids.map((id) => partsOf(bound, id))
    values.push([...ids], ...bound.key.map((_, index) => parts.map((part) => part[index])))
  }
  const text = built(`${what} ${asked.map(({ bound }) => bound.type).join(' ')}`, () =>
    constantText(selects.join(' union all ')),
  )
  const { rows } = await tx.executeQuery<FoundChecked & Values & { type: string }>(CompiledQuery.raw(text, values))
  for (const { bound } of asked) found.set(bound.type, [])
  for (const row of rows) found.get(row.type)?.push(as(row))
  return found
}

/**
 * The parameters from `$first` on: the ids, and the values of each column of the key. As subqueries, their lengths are unknown to each plan:
 * PostgreSQL would plan the statement again for each call with fewer ids than the ten that it expects.
 */
function selectObjects(bound: BoundType, first: number, columns: string): string {
  const { key, type } = bound
  const parts = key.map(([column, kind], index) => `r.${column} = given.k${index}::${kind}`)
  const arrays = [first, ...key.map((_, index) => first + index + 1)].map((place) => `(select $${place}::text[])`)
  return `select '${type}' as type, given.id, ${columns}, ${touchedColumn(bound, 'given.id')}
      from unnest(${arrays.join(', ')}) as given (id, ${key.map((_, index) => `k${index}`).join(', ')})
      ${rowAndState(bound, parts, 'given.id', onlyRows(bound))}`
}

/**
 * The objects of a type whose key begins with `parent`, such as the votes on an approval or the spans of a day and trace; all of
 * the tenant without it.
 */
export async function readBelow(tx: Transaction, bound: BoundType, parent: string | undefined): Promise<Checked[]> {
  const { table, key, type } = bound
  const values = parent?.split('/') ?? []
  const text = built(`below ${values.length} ${type}`, () => {
    const rows = key.slice(0, values.length).map(([column, kind], at) => `and r.${column} = $${at + 2}::${kind}`)
    const states = values.length === 0 ? '' : `and id > $1::text || '/' and id < $1::text || '0'`
    return `select coalesce(r.id_text, b.id) as id, r.row, ${boundColumns}, ${touchedColumn(bound, 'coalesce(r.id_text, b.id)')}
      from (select ${idText(bound)} as id_text, ${currentText(bound)} as row from ${table} r
          where r.tenant_id = app_tenant() ${rows.join(' ')} ${onlyRows(bound)}) r
      full join (select * from bound_states where tenant_id = app_tenant() and type = '${type}' ${states}) b
        on b.id = r.id_text`
  })
  return await check(tx, text, parent === undefined ? [] : [parent, ...values])
}

/**
 * The next rows of a table in the order of its key, with their bound states. `lock`: skips rows that another transaction is
 * changing, and keeps the others from being changed.
 */
export async function readRowsAfter(
  tx: Transaction,
  bound: BoundType,
  after: string | undefined,
  { limit, lock }: { limit: number; lock: boolean },
): Promise<Compared[]> {
  const { table, key, type } = bound
  const columns = key.map(([column]) => `r.${column}`).join(', ')
  const from = after === undefined ? [] : partsOf(bound, after)
  const start = key.map(([, kind], index) => `$${index + 2}::text::${kind}`).join(', ')
  const text = `select ${idText(bound)} as id, ${rowText(bound)} as row, ${boundColumns}
    from ${table} r
    left join bound_states b on b.tenant_id = r.tenant_id and b.type = '${type}' and b.id = ${idText(bound)}
    where r.tenant_id = app_tenant() ${onlyRows(bound)} ${after === undefined ? '' : `and (${columns}) > (${start})`}
    order by ${columns} limit $1 ${lock && bound.locks ? 'for no key update of r skip locked' : ''}`
  return (await tx.executeQuery<Found>(CompiledQuery.raw(text, [limit, ...from]))).rows.map(compared)
}

const forms: Record<string, string> = { uuid: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', integer: '^[0-9]{1,9}$' }

/** Null for a text of another form, which only SQL can have written: the cast would fail the whole comparison. */
const parsed = (text: string, kind: BoundType['key'][number][1]): string => {
  if (kind === 'text') return text
  if (kind === 'date') return `case when pg_input_is_valid(${text}, 'date') then (${text})::date end`
  return `case when ${text} ~ '${forms[kind]}' then (${text})::${kind} end`
}

/** The next bound states of a type in the order of their ids, with their rows. */
export async function readStatesAfter(
  tx: Transaction,
  bound: BoundType,
  after: string,
  limit: number,
): Promise<Compared[]> {
  const { table, key, type } = bound
  const text = built(`states ${type}`, () => {
    const parts = key.map(([column, kind], index) => {
      const before = key.slice(0, index).map((_, at) => `length(split_part(b.id, '/', ${at + 1})) + 1`)
      const isRest = index === key.length - 1 && index > 0
      const part = isRest ? `substr(b.id, ${before.join(' + ')} + 1)` : `split_part(b.id, '/', ${index + 1})`
      return `r.${column} = ${parsed(part, kind)}`
    })
    return `select b.id, ${rowText(bound)} as row, ${boundColumns}
      from (select * from bound_states where tenant_id = app_tenant() and type = '${type}' and id > $1 order by id limit $2) b
      left join ${table} r on r.tenant_id = app_tenant() and ${parts.join(' and ')}
      order by b.id`
  })
  return (await tx.executeQuery<Found>(CompiledQuery.raw(text, [after, limit]))).rows.map(compared)
}

async function check(tx: Transaction, text: string, values: unknown[]): Promise<Checked[]> {
  return (await tx.executeQuery<FoundChecked>(CompiledQuery.raw(text, values))).rows.map(checked)
}

type FoundChecked = Found & { touched: boolean }

const checked = (found: FoundChecked): Checked => ({ ...compared(found), touched: found.touched })

/** The parts of an object's key. Only the last one may contain "/". */
export const partsOf = ({ key }: BoundType, id: string): string[] => {
  const parts = id.split('/')
  return [...parts.slice(0, key.length - 1), parts.slice(key.length - 1).join('/')]
}

export const compared = ({ id, row, form, revision, digest, auditId, mac }: Found): Compared => ({
  id,
  row,
  bound:
    form === null || revision === null || auditId === null || mac === null
      ? null
      : { form, revision, digest, auditId, mac },
})

/**
 * Writes states that follow the stored ones. Fails, and with it the transaction, if another transaction has bound one of the
 * objects in the meantime.
 */
export const writeStates = (tenantId: string, states: readonly StoredState[]): CompiledQuery =>
  CompiledQuery.raw(writeText, [
    tenantId,
    states.map(({ type }) => type),
    states.map(({ id }) => id),
    states.map(({ form }) => form),
    states.map(({ revision }) => revision),
    states.map(({ digest }) => digest),
    states.map(({ auditId }) => auditId),
    states.map(({ mac }) => mac),
  ])

// A division by zero: PostgreSQL lacks a statement that fails on a condition.
const writeText = `with written as (
    insert into bound_states (tenant_id, type, id, form, revision, digest, audit_id, mac)
    select $1::uuid, new.* from unnest($2::text[], $3::text[], $4::smallint[], $5::integer[], $6::bytea[], $7::uuid[], $8::bytea[]) new
    on conflict (tenant_id, type, id) do update set form = excluded.form, revision = excluded.revision,
      digest = excluded.digest, audit_id = excluded.audit_id, mac = excluded.mac
    where bound_states.revision = excluded.revision - 1
    returning 1
  ) select 1 / (case when count(*) = cardinality($2::text[]) then 1 else 0 end) as written from written`
