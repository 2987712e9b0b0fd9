import { generateKeyPairSync } from 'node:crypto'
import { raiseAlarm } from '#server/audit/alarms/raise-alarm.ts'
import { formatCheckpoint, signNote } from '#server/audit/notes/signed-note.ts'
import { auditLeafHash } from '#server/kernel/audit/record.ts'
import { newId } from '#server/kernel/ids.ts'
import { insertForged, rewriteRecord } from '#server/testing/forge-record.ts'
import type { PropertyServer } from '#server/testing/properties/server.ts'
import { change, type LogChange, type LogTenant } from './log-tenant.ts'
import { otherValue, type Table } from './rows.ts'

type Place = readonly [label: string, where: string]
const whole: Place = ['', 'true']
const closed: Place = [' of the closed day', 'date = $2']
const open: Place = [' of today', 'date = $3']
const logs: readonly Place[] = [
  [' of the closed day', 'log = $2::text'],
  [' of today', 'log = $3::text'],
  [' of the seal log', `log = 'seals'`],
]

/** The tables of the log, and which of their rows change. */
export const logTables: Record<string, readonly Place[]> = {
  alarms: [whole],
  audit_checkpoints: [closed, open],
  audit_days: [closed, open],
  audit_records: [
    [' of the closed day', 'date = $2 and seq >= 7'],
    [' of today', 'date = $3 and seq >= 1'],
  ],
  audit_seal_checkpoints: [whole],
  audit_seals: [closed],
  audit_tiles: logs,
  audit_trees: logs,
  signing_keys: [
    [' for the log', `purpose = 'log'`],
    [' for archives', `purpose = 'evidence'`],
  ],
  tenant_keys: [whole],
}

/** The days of every tenant: closed with records, closed and empty, today. */
export type Days = { past: string; empty: string; today: string }

/** Each column of each table of the log with another value, each row deleted, moved to another tenant, or that tenant's instead. */
export function* changesOfLogTables(
  server: PropertyServer,
  tables: readonly Table[],
  days: Days,
): Generator<LogChange> {
  const values = (id: string) => [id, days.past, days.today]
  for (const { name, columns } of tables)
    for (const [label, where] of logTables[name] ?? []) {
      const used = `($2::date is not null and $3::date is not null)`
      const first = (id: string) =>
        `(tableoid, ctid) = (select tableoid, ctid from ${name} where tenant_id = ${id} and (${where}) and ${used} limit 1)`
      const place = `${name}${label}`
      // An alarm whose row is deleted or changed stays open.
      const alarmed = name === 'alarms'
      const run =
        (text: string) =>
        async ({ tenant }: LogTenant) => {
          if (alarmed) await raiseAlarm(tenant.id, { kind: 'object', subject: 'refund/1', reason: 'It was changed.' })
          await change(server, [text, values(tenant.id)])
        }
      for (const column of columns) {
        if (column.name === 'tenant_id' || column.generated) continue
        const value = otherValue(column)
        if (value === undefined) throw new Error(`${name}.${column.name}: no other value of the type ${column.type}.`)
        const text = `update ${name} set ${column.name} = ${value} where ${first('$1')}`
        yield { trick: 'alter a column', what: `${place}: ${column.name}`, make: run(text), alarmed }
      }
      yield { trick: 'delete', what: place, make: run(`delete from ${name} where ${first('$1')}`), alarmed }
      if (alarmed) continue
      yield {
        trick: 'delete all of them',
        what: place,
        make: async ({ tenant }) =>
          change(server, [`delete from ${name} where tenant_id = $1 and (${where}) and ${used}`, values(tenant.id)]),
      }
      const list = columns.flatMap(({ name: column, generated }) => (generated ? [] : [column]))
      const moved = list.map((column) => (column === 'tenant_id' ? '$4' : column)).join(', ')
      const copy = `insert into ${name} (${list.join(', ')}) select ${moved} from ${name} where ${first('$1')}`
      yield {
        trick: 'put another tenant’s row in its place',
        what: place,
        make: async ({ tenant }, { tenant: other }) =>
          change(
            server,
            [`delete from ${name} where ${first('$1')}`, values(tenant.id)],
            [copy, [...values(other.id), tenant.id]],
          ),
      }
    }
}

const forget = (name: string, where: string) => `delete from ${name} where tenant_id = $1 and ${where}`

/** What an owner would do who knows how the log works: everything is consistent, except for what needs a key. */
export function* changesOfTheLog(server: PropertyServer, days: Days): Generator<LogChange> {
  const { owner } = server
  const { past, empty, today } = days
  const place = (date: string, seq: number) => ({ date, seq })
  const forgetDay = (id: string, day: string) =>
    change(
      server,
      [forget('audit_checkpoints', 'date = $2'), [id, day]],
      [forget('audit_trees', 'log = $2'), [id, day]],
      [forget('audit_tiles', 'log = $2'), [id, day]],
      ['update audit_days set sealed_at = null, mac = null where tenant_id = $1 and date = $2', [id, day]],
    )
  const forgetSeals = (id: string) =>
    change(
      server,
      ...['audit_seal_checkpoints', 'audit_seals'].map((name) => [forget(name, 'true'), [id]] as const),
      ...['audit_trees', 'audit_tiles'].map((name) => [forget(name, `log = 'seals'`), [id]] as const),
    )
  const rewrite = ({ tenant }: LogTenant, date: string, seq = 1) =>
    rewriteRecord(owner, tenant, place(date, seq), 'It was never due.')
  const why = 'rewrite a closed day'
  yield { trick: why, what: 'nothing forgotten', make: (one) => rewrite(one, past) }
  yield {
    trick: why,
    what: 'its signature and its end forgotten',
    async make(one) {
      await rewrite(one, past)
      await forgetDay(one.tenant.id, past)
    },
  }
  yield {
    trick: why,
    what: 'its entry in the seal log deleted, too',
    async make(one) {
      await rewrite(one, past)
      await forgetDay(one.tenant.id, past)
      await change(server, [forget('audit_seals', 'date = $2'), [one.tenant.id, past]])
    },
  }
  yield {
    trick: why,
    what: 'its entry in the seal log moved to another date',
    async make(one) {
      await rewrite(one, past)
      await forgetDay(one.tenant.id, past)
      await change(
        server,
        [`insert into audit_days (tenant_id, date, size) values ($1, '2001-01-01', 0)`, [one.tenant.id]],
        [`update audit_seals set date = '2001-01-01' where tenant_id = $1 and date = $2`, [one.tenant.id, past]],
      )
    },
  }
  yield {
    trick: why,
    what: 'the whole seal log forgotten',
    async make(one) {
      await rewrite(one, past)
      await forgetSeals(one.tenant.id)
      for (const day of [past, empty]) await forgetDay(one.tenant.id, day)
    },
  }
  yield { trick: 'rewrite today', what: 'a signed record', make: (one) => rewrite(one, today) }
  yield {
    trick: 'rewrite today',
    what: 'a signed record, and its signature forgotten',
    async make(one) {
      await rewrite(one, today)
      await forgetDay(one.tenant.id, today)
    },
  }
  yield {
    trick: 'delete a closed day',
    what: 'with its entry in the seal log',
    async make({ tenant: { id } }) {
      await forgetDay(id, past)
      await change(
        server,
        ...['audit_seals', 'audit_records', 'audit_days'].map(
          (name) => [forget(name, 'date = $2'), [id, past]] as const,
        ),
      )
    },
  }
  yield {
    trick: 'delete the whole log',
    what: 'all records, days and signatures',
    async make({ tenant: { id } }) {
      const all = ['audit_checkpoints', 'audit_trees', 'audit_tiles', 'audit_seals', 'audit_seal_checkpoints']
      await change(
        server,
        ...[...all, 'audit_records', 'audit_days'].map((name) => [forget(name, 'true'), [id]] as const),
      )
    },
  }
  // The last records of today, with every trace of them: a state that the log once had, whose signature is genuine.
  const rollBack = async ({ tenant: { id } }: LogTenant) => {
    const { rows } = await owner.query<{ size: number }>(
      'select min(size) as size from audit_checkpoints where tenant_id = $1 and date = $2',
      [id, today],
    )
    const size = rows[0]?.size ?? 0
    await change(
      server,
      [forget('audit_records', 'date = $2 and seq >= $3'), [id, today, size]],
      [forget('audit_checkpoints', 'date = $2 and size > $3'), [id, today, size]],
      ['update audit_days set size = $3 where tenant_id = $1 and date = $2', [id, today, size]],
      [
        'update audit_trees set size = $3, checked_at = null, mac = null where tenant_id = $1 and log = $2::text',
        [id, today, size],
      ],
      [
        'update audit_tiles set hashes = substring(hashes for 32 * $3) where tenant_id = $1 and log = $2::text and level = 0',
        [id, today, size],
      ],
    )
  }
  yield { trick: 'replay an older state', what: 'today as it was signed earlier', make: rollBack }
  const insert = (what: string, make: LogChange['make']): LogChange => ({ trick: 'insert a record', what, make })
  yield insert('of today', async ({ tenant }) => [await insertForged(owner, tenant, { date: today })])
  yield insert('of a closed day', async ({ tenant }) => [await insertForged(owner, tenant, { date: past })])
  yield insert('of a day before the first one', async ({ tenant }) => [
    await insertForged(owner, tenant, { date: dayBefore(past) }),
  ])
  yield insert('of a closed day without records, whose signature is forgotten', async ({ tenant }) => {
    await forgetDay(tenant.id, empty)
    return [await insertForged(owner, tenant, { date: empty })]
  })
  yield insert('with the mac of another one', async ({ tenant, past: [, auditId] }) => {
    const { rows } = await owner.query<{ mac: Buffer }>('select mac from audit_records where audit_id = $1', [auditId])
    return [await insertForged(owner, tenant, { date: today, mac: rows[0]?.mac ?? null })]
  })
  yield insert('that the stored tree claims to contain', async ({ tenant }) => {
    const auditId = await insertForged(owner, tenant, { date: today })
    await change(
      server,
      [
        `update audit_tiles set hashes = hashes || (select leaf_hash from audit_records where audit_id = $3)
         where tenant_id = $1 and log = $2::text and level = 0`,
        [tenant.id, today, auditId],
      ],
      ['update audit_trees set size = size + 1 where tenant_id = $1 and log = $2::text', [tenant.id, today]],
    )
    return [auditId]
  })
  yield insert('through the function of an earlier version', async ({ tenant }) => {
    const auditId = newId()
    await owner.query('begin')
    await owner.query(`select set_config('app.tenant_id', $1, true)`, [tenant.id])
    await owner.query('select append_records($1, $2, $3, $4, $5, $6, $7, $8, $8)', [
      tenant.id,
      [auditId],
      ['x'],
      [`{"action":"x","actor":{},"at":"`],
      [`","auditId":"${auditId}","resource":{}}`],
      [`,"tenant":"${tenant.externalId}","type":"x","v":1}`],
      [Buffer.alloc(32)],
      [],
    ])
    await owner.query('commit')
    return [auditId]
  })
  yield {
    trick: 'repeat a record',
    what: 'of today, with its own mac, at the end of today: without the index that keeps ids unique',
    async make({ tenant, today: [, auditId = ''] }) {
      await owner.query('alter table audit_records drop constraint if exists audit_records_tenant_id_audit_id_key')
      const { rows } = await owner.query<{ size: number; digest: Buffer; type: string }>(
        `update audit_days day set size = day.size + 1 from audit_records record
         where day.tenant_id = $1 and day.date = $2 and record.tenant_id = $1 and record.audit_id = $3
         returning day.size, record.digest, record.type`,
        [tenant.id, today, auditId],
      )
      const [{ size, digest, type } = { size: 1, digest: Buffer.alloc(32), type: '' }] = rows
      const seq = size - 1
      const leaf = auditLeafHash({ auditId, date: today, digest, seq, tenant: tenant.externalId, type })
      await change(server, [
        `insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at, mac)
         select tenant_id, date, $3, audit_id, type, record, nonce, digest, $4, created_at, mac from audit_records
         where tenant_id = $1 and audit_id = $2`,
        [tenant.id, auditId, seq, leaf],
      ])
    },
  }
  yield {
    trick: 'move a record',
    what: 'from a closed day to today',
    async make({ tenant, past: [, auditId = ''] }) {
      const { rows } = await owner.query<{ size: number }>(
        'update audit_days set size = size + 1 where tenant_id = $1 and date = $2 returning size',
        [tenant.id, today],
      )
      await change(server, [
        'update audit_records set date = $3, seq = $4 where tenant_id = $1 and audit_id = $2',
        [tenant.id, auditId, today, (rows[0]?.size ?? 1) - 1],
      ])
    },
  }
  yield {
    trick: 'move a record',
    what: 'of another tenant, at the end of today',
    async make({ tenant }, { tenant: other, today: [, auditId = ''] }) {
      const { rows } = await owner.query<{ size: number }>(
        'update audit_days set size = size + 1 where tenant_id = $1 and date = $2 returning size',
        [tenant.id, today],
      )
      await change(server, [
        `insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at, mac)
         select $1, date, $4, audit_id, type, record, nonce, digest, leaf_hash, created_at, mac from audit_records
         where tenant_id = $2 and audit_id = $3`,
        [tenant.id, other.id, auditId, (rows[0]?.size ?? 1) - 1],
      ])
      return [auditId]
    },
  }
  yield {
    trick: 'replace the key',
    what: 'a closed day signed by another key, which is stored as the tenant’s',
    async make({ tenant }) {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
      const origin = `${new URL(server.baseUrl).host}/t/${tenant.externalId}/audit/${past}`
      const { rows } = await owner.query<{ size: number; root: Buffer }>(
        'select size, root from audit_checkpoints where tenant_id = $1 and date = $2',
        [tenant.id, past],
      )
      const [row = { size: 0, root: Buffer.alloc(32) }] = rows
      const note = signNote(formatCheckpoint({ origin, ...row }), { name: origin, privateKey })
      await change(
        server,
        [`update signing_keys set public_key = $2 where tenant_id = $1 and purpose = 'log'`, [tenant.id, pem]],
        ['update audit_checkpoints set note = $3 where tenant_id = $1 and date = $2', [tenant.id, past, note]],
      )
    },
  }
  for (const time of ['infinity', '2100-01-01'])
    yield {
      trick: 'silence the re-read',
      what: `checked at ${time}, and a record of the closed day rewritten`,
      async make(one) {
        await change(server, ['update audit_trees set checked_at = $2 where tenant_id = $1', [one.tenant.id, time]])
        await rewrite(one, past)
      },
    }
  yield {
    trick: 'silence the re-read',
    what: 'its state as it was before, after a record was rewritten',
    async make(one) {
      const { rows } = await owner.query<{ at: Date; mac: Buffer }>(
        'select checked_at as at, mac from audit_trees where tenant_id = $1 and log = $2',
        [one.tenant.id, past],
      )
      await rewrite(one, past)
      await change(server, [
        'update audit_trees set checked_at = $3, mac = $4, broken_at = null where tenant_id = $1 and log = $2',
        [one.tenant.id, past, rows[0]?.at, rows[0]?.mac],
      ])
    },
  }
  yield {
    trick: 'silence the re-read',
    what: 'the alarms deleted, and a record of the closed day rewritten',
    async make(one) {
      await rewrite(one, past)
      await owner.query('delete from alarms where tenant_id = $1', [one.tenant.id])
    },
  }
}

const dayBefore = (date: string): string => new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)

/**
 * Changes that prove nothing, so that no one needs to find them: times of rows that are not part of what is signed, a key's id
 * and public half, which the service derives from the private one, the mac of a record that is signed already, the last
 * checkpoint of today, which the next one replaces, and the tree of today, which is made again from its records.
 */
export const harmless =
  /: created_at$|^signing_keys.*: (?:id|public_key)$|^audit_records.*: mac$|^audit_(?:days|checkpoints) of today|^audit_trees of today(?:: log)?$/
