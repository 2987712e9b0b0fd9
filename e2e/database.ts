import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import { canonicalJson } from '#lib/jcs.ts'
import { auditLeafHash, keyedBytes, recordMacPurpose, textDigest } from '#server/kernel/audit/record.ts'
import type { Database } from '#server/kernel/db/database.ts'
import { openEmbeddedDatabase } from '#server/kernel/db/embedded.ts'
import { newId, newTraceId } from '#server/kernel/ids.ts'
import { joinServer } from '#server/testing/join-server.ts'
import { cipherOfTenant } from '#server/testing/tenant-cipher.ts'
import { startTrace } from '#server/traces/recording/record.ts'

// Data that no caller of the API can create: a past day, and spans that are committed one at a time.

const dataDir = join(process.env.E2E_DIR ?? '', 'data')

/** Calls `work` with a connection to the server's database as its owner. */
async function asOwner<T>(work: (url: string) => Promise<T>): Promise<T> {
  if (process.env.DATABASE_URL !== undefined) return await work(process.env.DATABASE_URL)
  const { ownerUrl, release } = await openEmbeddedDatabase({ dataDir, say: () => undefined })
  try {
    return await work(ownerUrl)
  } finally {
    await release()
  }
}

/** Starts a trace that stays open; `work` writes its spans. */
export const withLiveTrace = <T>(
  tenantId: string,
  name: string,
  work: (database: Database, traceId: string) => Promise<T>,
): Promise<T> =>
  asOwner(async (url) => {
    const { database, close } = await joinServer(url, dataDir)
    try {
      const traceId = newTraceId()
      await database.inTenant(tenantId, (tx) => startTrace(tx, tenantId, { traceId, name, startedAt: new Date() }))
      return await work(database, traceId)
    } finally {
      await close()
    }
  })

const dayMs = 86_400_000
const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/**
 * Adds a day before the tenant's first one, with records as the server would have written them, with its keys. The day is not signed: the
 * server's sealer finds, signs and closes it. Returns its date and the id of its third record.
 */
export const pastDay = (tenant: { id: string; externalId: string }, count: number) =>
  asOwner(async (url) => {
    const cipher = await cipherOfTenant(url, dataDir, tenant.id)
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query<{ first: string }>(
        `select coalesce(min(date), (clock_timestamp() at time zone 'UTC')::date)::text as first
         from audit_days where tenant_id = $1`,
        [tenant.id],
      )
      const date = dateOf(Date.parse(rows[0]?.first ?? '') - dayMs)
      await client.query('insert into audit_days (tenant_id, date, size) values ($1, $2, $3)', [tenant.id, date, count])
      const auditIds = []
      for (let seq = 0; seq < count; seq++) {
        const auditId = newId()
        const at = new Date(Date.parse(date) + seq * 60_000).toISOString()
        const action = 'member.signed_in'
        const actor = { type: 'person', id: newId(), name: 'Vera Lindqvist' }
        const record = { auditId, at, actor, action, resource: { type: 'member', id: actor.id } }
        const nonce = randomBytes(32)
        const text = canonicalJson(record)
        const digest = textDigest(nonce, text)
        const mac = cipher.mac(recordMacPurpose, keyedBytes({ tenantId: tenant.id, auditId, nonce, text }))
        const leafHash = auditLeafHash({ auditId, date, digest, seq, tenant: tenant.externalId, type: action })
        await client.query(
          `insert into audit_records
             (tenant_id, date, seq, audit_id, type, record, nonce, digest, leaf_hash, created_at, mac)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
          [tenant.id, date, seq, auditId, action, JSON.stringify(record), nonce, digest, leafHash, at, mac],
        )
        auditIds.push(auditId)
      }
      await client.query('commit')
      return { date, auditId: auditIds[2] ?? '' }
    } finally {
      await client.end()
    }
  })

/** Runs one statement as the owner, as an intruder with SQL could. Throws if it does not affect exactly one row. */
export const changeOneRow = (statement: string, values: unknown[]): Promise<void> =>
  asOwner(async (url) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      const { rowCount } = await client.query(statement, values)
      if (rowCount !== 1) throw new Error(`${rowCount} rows were affected by: ${statement}`)
    } finally {
      await client.end()
    }
  })
