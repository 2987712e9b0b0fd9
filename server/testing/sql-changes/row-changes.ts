import { type BoundType, boundTypes } from '#server/kernel/bound/types.ts'
import type { PropertyServer } from '#server/testing/properties/server.ts'
import { spanTables } from './every-table.ts'
import { change } from './log-tenant.ts'
import type { RowWorld } from './row-world.ts'
import { asOwnerWithoutTriggers, otherValue, type Table } from './rows.ts'

/** A change to one row of a bound table. `make` returns the object's id, or undefined if the tenant does not have such a row. */
export type RowChange = {
  trick: string
  type: string
  what: string
  make(one: RowWorld, other: RowWorld): Promise<string | undefined>
}

/**
 * Bytes of encrypted content: the re-read and the verification of a record compare their commitments, and a read or an export
 * can't decrypt them.
 */
export const isContent = ({ trick, type, what }: RowChange): boolean =>
  trick === 'alter' && boundTypes.some((one) => one.type === type && one.content?.some((column) => column === what))

/** What the leaves of a request's spans contain: its record no longer verifies with another value. */
const inLeaves: Record<string, readonly string[]> = {
  spans: [
    'parent_span_id',
    'name',
    'kind',
    'status',
    'started_at',
    'ended_at',
    'attributes',
    'events',
    'links',
    'facts',
  ],
  batch_resources: ['attributes'],
  telemetry_batches: ['leaves'],
}

/**
 * The object whose record must no longer verify after the change, as a name in RowWorld.records. Undefined if the change proves
 * nothing about one: an object that the log does not know, and the end of the adoption, which the log and the signer's memory
 * know, too.
 */
export function mustNotVerify(change: RowChange, id: string): string | undefined {
  const { trick, type, what } = change
  if (spanTables.some((table) => table === type)) return inLeaves[type]?.includes(what) ? 'telemetry' : undefined
  return isContent(change) || trick.startsWith('bound_adoptions') ? undefined : `${type}/${id}`
}

type Row = { place: string; id: string }

/** Columns of the rows that prove other rows: the bound states of an approval, and the end of the adoption. */
export function* changesOfStates(server: PropertyServer, tables: readonly Table[]): Generator<RowChange> {
  const places = [
    { name: 'bound_states', where: `type = 'approval' and id = $2`, object: (id: string) => ['approval', id] as const },
    { name: 'bound_adoptions', where: '$2::text is not null', object: () => ['tenant', undefined] as const },
  ]
  for (const { name, where, object } of places) {
    const changed = (what: string, text: string): RowChange => {
      const [type] = object('')
      return {
        trick: `${name}: ${what}`,
        type,
        what: 'in the row that proves it',
        async make({ world }) {
          const { approval } = world.objects
          await change(server, [`${text} where tenant_id = $1 and ${where}`, [world.tenant.id, approval]])
          return object(approval)[1] ?? world.tenant.id
        },
      }
    }
    for (const column of tables.find((table) => table.name === name)?.columns ?? []) {
      const value = otherValue(column)
      if (column.name !== 'tenant_id' && value !== undefined)
        yield changed(`alter ${column.name}`, `update ${name} set ${column.name} = ${value}`)
    }
    yield changed('delete', `delete from ${name}`)
  }
}

/** Each column of the tables of spans, and a deleted row. */
export function* changesOfSpans(server: PropertyServer, tables: readonly Table[]): Generator<RowChange> {
  for (const name of spanTables)
    for (const column of [...(tables.find((table) => table.name === name)?.columns ?? []), undefined]) {
      const value = column && otherValue(column)
      if (column !== undefined && (column.name === 'tenant_id' || column.generated || value === undefined)) continue
      // Of the last request: RowWorld.records has its record. Spans of executions are bound rows.
      const ofLast = 'and audit_id = (select max(audit_id::text)::uuid from telemetry_batches where tenant_id = $1)'
      const last = name === 'traces' ? '' : ofLast
      const at = `(tableoid, ctid) = (select tableoid, ctid from ${name} where tenant_id = $1 ${last} order by ctid desc limit 1)`
      const text = column === undefined ? `delete from ${name}` : `update ${name} set ${column.name} = ${value}`
      yield {
        trick: column === undefined ? 'delete' : 'alter',
        type: name,
        what: column?.name ?? 'the row',
        async make({ world }) {
          const changed = await asOwnerWithoutTriggers(server.owner, [[`${text} where ${at}`, [world.tenant.id]]])
          return changed === 0 ? undefined : name
        },
      }
    }
}

/** Each column of each bound table with another value, and every trick with a row of it. */
export function* changesOfRows(server: PropertyServer, tables: readonly Table[]): Generator<RowChange> {
  const { owner } = server
  for (const bound of boundTypes) {
    const table = tables.find(({ name }) => name === bound.table)
    if (table === undefined) throw new Error(`${bound.table} does not exist.`)
    const { name, columns } = table
    const keys = bound.key.map(([column]) => column)
    const idText = keys.map((column) => `${column}::text`).join(` || '/' || `)
    const find = async ({ world }: RowWorld): Promise<Row | undefined> => {
      const known = Object.values(world.objects)
      const { rows } = await owner.query<Row>(
        `select '(' || quote_literal(tableoid) || ',' || quote_literal(ctid) || ')' as place, ${idText} as id from ${name} r
         where tenant_id = $1 ${bound.only === undefined ? '' : `and ${bound.only}`} order by (${keys[0]}::text = any($2)) desc, ${idText} limit 1`,
        [world.tenant.id, known],
      )
      return rows[0]
    }
    const on =
      (text: (row: Row, one: RowWorld, other: RowWorld) => readonly (readonly [string, readonly unknown[]])[]) =>
      async (one: RowWorld, other: RowWorld) => {
        const row = await find(one)
        if (row === undefined) return undefined
        await change(server, ...text(row, one, other))
        return row.id
      }
    const at = ({ place }: Row) => `(tableoid::text, ctid::text) = ${place}`
    const list = columns.flatMap(({ name: column, generated }) => (generated ? [] : [column]))
    const copied = (row: Row, values: (column: string) => string) =>
      `insert into ${name} (${list.join(', ')}) select ${list.map(values).join(', ')} from ${name} where ${at(row)}`
    const state = (id: string): [string, string[]] => [`type = '${bound.type}' and id = $2`, [id]]

    for (const column of columns) {
      if (column.name === 'tenant_id' || column.generated || column.key || bound.left?.includes(column.name)) continue
      const value = allowed(column.name, bound) ?? otherValue(column)
      if (value === undefined) throw new Error(`${name}.${column.name}: no other value of the type ${column.type}.`)
      yield {
        trick: 'alter',
        type: bound.type,
        what: column.name,
        make: on((row) => [[`update ${name} set ${column.name} = ${value} where ${at(row)}`, []]]),
      }
    }
    yield {
      trick: 'delete',
      type: bound.type,
      what: 'the row',
      make: on((row) => [[`delete from ${name} where ${at(row)}`, []]]),
    }
    yield {
      trick: 'delete with its state',
      type: bound.type,
      what: 'the row and its bound state',
      make: on((row, { world }) => {
        const [where, values] = state(row.id)
        return [
          [`delete from ${name} where ${at(row)}`, []],
          [`delete from bound_states where tenant_id = $1 and ${where}`, [world.tenant.id, ...values]],
        ]
      }),
    }
    yield {
      trick: 'insert',
      type: bound.type,
      what: 'a copy under another key',
      make: async (one) => {
        const row = await find(one)
        if (row === undefined) return undefined
        const last = bound.key.at(-1) ?? ['', 'text']
        const other = otherKey(last)
        await change(server, [copied(row, (column) => (column === last[0] ? other : column)), []])
        const { rows: made } = await owner.query<{ id: string }>(
          `select ${idText} as id from ${name} t where tenant_id = $1 ${bound.only === undefined ? '' : `and ${bound.only.replaceAll('r.', 't.')}`} and not exists (
             select from bound_states b where b.tenant_id = t.tenant_id and b.type = $2 and b.id = ${idText.replaceAll(/(\w+)::text/g, 't.$1::text')})`,
          [one.world.tenant.id, bound.type],
        )
        return made[0]?.id
      },
    }
    yield {
      trick: 'move to another tenant',
      type: bound.type,
      what: 'the row',
      make: on((row, _one, { world }) => [[`update ${name} set tenant_id = $1 where ${at(row)}`, [world.tenant.id]]]),
    }
    yield {
      trick: 'replay an older row',
      type: bound.type,
      what: 'the row and its bound state as they were',
      make: async ({ world }) => {
        const { rows } = await owner.query<{ id: string; row: object; state: object }>(
          `select s.row->>'id' as id, s.row as state, (select r.row from history.rows r
             where r.tab = $2 and r.tenant_id = $1 and ${keys.map((column) => `(r.row->>'${column}')`).join(` || '/' || `)} = (s.row->>'id')
             order by r.at desc limit 1) as row
           from history.rows s where s.tab = 'bound_states' and s.tenant_id = $1 and s.row->>'type' = $3
           order by s.at desc`,
          [world.tenant.id, name, bound.type],
        )
        const old = rows.find(({ row }) => row !== null)
        if (old === undefined) return undefined
        await change(
          server,
          [`delete from ${name} where tenant_id = $1 and ${idText} = $2`, [world.tenant.id, old.id]],
          [
            `insert into ${name} (${list.join(', ')}) select ${list.join(', ')} from jsonb_populate_record(null::${name}, $1)`,
            [old.row],
          ],
          [
            `delete from bound_states where tenant_id = $1 and type = $2 and id = $3`,
            [world.tenant.id, bound.type, old.id],
          ],
          ['insert into bound_states select * from jsonb_populate_record(null::bound_states, $1)', [old.state]],
        )
        return old.id
      },
    }
  }
}

/** Another value of the last column of a key. */
function otherKey([column, type]: readonly [string, string]): string {
  if (type === 'uuid') return 'gen_random_uuid()'
  if (type === 'integer') return `${column} + 1000`
  // Ids of spans are 16 characters.
  return column === 'span_id' ? `translate(${column}, '0123456789', '1234567890')` : `${column} || 'x'`
}

/** Another value that the service itself could have written. */
function allowed(column: string, { type }: BoundType): string | undefined {
  const values: Record<string, string[]> = {
    'approval.status': ['approved', 'rejected'],
    'approval_vote.decision': ['approve', 'reject'],
    'decision.effect': ['allow', 'deny'],
    'execution.status': ['succeeded', 'failed'],
    'execution_step.status': ['succeeded', 'failed'],
    'release.status': ['active', 'revoked'],
    'policy_binding.status': ['active', 'revoked'],
    'agent.status': ['active', 'suspended'],
    'member.status': ['active', 'suspended'],
    'span.status': ['ok', 'error'],
    'span.origin': ['execution', 'telemetry'],
  }
  const found = values[`${type}.${column}`]
  return found && `case ${column} when '${found[0]}' then '${found[1]}' else '${found[0]}' end`
}
