import { randomBytes } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { appendAudit } from '#server/kernel/audit/append.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import { beforeCommit } from '#server/kernel/db/closing.ts'
import { newId } from '#server/kernel/ids.ts'
import { testTenant } from '#server/testing/tenant.ts'
import type { Lab } from '../lab.ts'
import { closedLoop } from '../load.ts'
import type { Comparison, comparer, Side } from '../measure.ts'
import { type Figure, number, ratioFigure } from '../report.ts'

const act = {
  actor: { type: 'service_account', id: newId(), name: 'ci-pipeline' },
  action: 'policy_version.published',
  resource: { type: 'policy', id: newId() },
  details: { version: 1, digest: `sha256:${'0'.repeat(64)}` },
  requestId: newId(),
} as const
const manyTenants = 8

/** One record in a separate transaction. */
export const ourAppend = ({ runtime }: Lab, tenant: Tenant): Promise<string> =>
  runtime.database.inTenant(tenant.id, (tx) => appendAudit(tx, tenant, act))

/** The same rows and notification in one statement, with hashes computed in advance. */
const plainInsert = ({ runtime }: Lab, tenant: Tenant): Promise<void> =>
  runtime.database.inTenant(tenant.id, async (tx) => {
    const record = JSON.stringify({ at: new Date().toISOString(), ...act })
    const compose = () =>
      CompiledQuery.raw(plainText, [tenant.id, newId(), act.action, record, ready, ready, ready, 'audit'])
    // Of a kind of its own: it is never put together with another.
    beforeCommit(tx, { kind: newId(), parts: [], compose })
  })
const plainText = `
  with day as (
    update audit_days set size = size + 1
    where tenant_id = $1 and date = (clock_timestamp() at time zone 'UTC')::date and sealed_at is null
    returning date, size - 1 as seq
  ), written as (
    insert into audit_records (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at)
    select $1, date, seq, $2, $3, $4, $5, $6, $7, clock_timestamp() from day returning tenant_id
  )
  select pg_notify($8, tenant_id::text) from written`
const ready = randomBytes(32)

export async function audit(lab: Lab, compare: ReturnType<typeof comparer>): Promise<Figure[]> {
  const side = (name: string, once: () => Promise<unknown>, width = 1): Side => ({
    name,
    database: true,
    run: (deadline) => closedLoop(width, deadline, once),
  })
  // The server writes the log only through its functions; in this database its role may do what the peer does by hand.
  const role = pg.escapeIdentifier(new URL(lab.runtime.database.url).username)
  await lab.owner.query(`grant insert, update on audit_days, audit_records to ${role}`)
  const hashing = await compare(
    side('without hashing', () => plainInsert(lab, lab.tenant)),
    side('countersign', () => ourAppend(lab, lab.tenant)),
  )
  const tenants = await Promise.all(Array.from({ length: manyTenants }, () => testTenant(lab.runtime)))
  let turn = 0
  const nextTenant = () => tenants[turn++ % manyTenants] ?? lab.tenant
  const spreading = await compare(
    side('one tenant', () => ourAppend(lab, lab.tenant), manyTenants),
    side('eight tenants', () => ourAppend(lab, nextTenant()), manyTenants),
  )
  const queueing = await compare(
    side('one writer', () => ourAppend(lab, lab.tenant)),
    side('eight writers', () => ourAppend(lab, lab.tenant), manyTenants),
  )
  /** Work per second of time: the parts wait for the disk and for each other, not for the processor. */
  const byTime = (job: string, least: number, comparison: Comparison, note: string): Figure => {
    const gain = comparison.wall.ours / comparison.wall.peer
    return {
      ...ratioFigure({ case: 9, job, unit: '', least: undefined }, comparison),
      ours: `${number(comparison.wall.ours)} /s`,
      peer: `${number(comparison.wall.peer)} /s`,
      ratio: `${number(gain)}×`,
      target: `≥ ${least}×`,
      met: comparison.others > 0.7 ? '–' : gain >= least ? 'yes' : 'no',
      note: `of wall-clock time, ${note}; meaningless on a busy machine`,
    }
  }
  return [
    ratioFigure(
      {
        case: 9,
        job: 'audit append vs the same without hashing',
        unit: '/CPU s',
        least: 0.9,
        limit: 'crypto.hash 2 M/s, one-row commits 0.5–2 k/s on one connection',
        note: 'ours does everything that the peer does: above 1 is noise',
      },
      hashing,
    ),
    byTime('audit append: eight tenants vs one', 4, spreading, '8 writers in both'),
    byTime('audit append: eight writers of one tenant vs one', 3, queueing, 'the same tenant in both'),
  ]
}
