import { canonicalJson } from '#lib/jcs.ts'
import type { JsonObject, JsonValue } from '#lib/json.ts'
import { appendAudit, systemActor } from '#server/kernel/audit/append.ts'
import { newId } from '#server/kernel/ids.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { moveToPast } from '#server/testing/past-day.ts'
import type { PropertyServer } from '#server/testing/properties/server.ts'
import { type PropertyTenant, propertyTenant } from '#server/testing/properties/tenant.ts'
import { everyRole } from '#server/testing/properties/world.ts'
import { until } from '#server/testing/until.ts'
import { exported, inside, itemsOf, query, type Reader } from './calls.ts'
import type { Installation } from './installation.ts'
import { asOwnerWithoutTriggers } from './rows.ts'

/** A tenant with a closed day of records, an empty closed day, and records of today. */
export type LogTenant = {
  tenant: PropertyTenant
  /** Its records as the service wrote them, by id, and its signed heads, before the change. */
  records: Map<string, JsonValue>
  heads: Map<string, string>
  /** Records of the closed day and of today. */
  past: readonly string[]
  today: readonly string[]
  secret: string
  token: string
}

const recordsOfDay = 4
const client = 'reader'

/** Creates the tenant and its records. Call it before a node is started, which would sign the records of the past as today's. */
export async function createLogTenant(server: PropertyServer, slug: string, pastDay: string): Promise<LogTenant> {
  const tenant = await propertyTenant(server, slug)
  const { clientSecret } = await tenant.service(client, everyRole)
  const append = () =>
    runtime().database.inTenant(tenant.id, async (tx) => {
      const made: string[] = []
      for (let index = 0; index < recordsOfDay; index++)
        made.push(
          await appendAudit(tx, tenant, {
            actor: systemActor,
            action: 'refund.approved',
            resource: { type: 'refund', id: newId() },
            reason: `It is due, case ${index}.`,
          }),
        )
      return made
    })
  const past = await append()
  await moveToPast(runtime(), tenant, pastDay)
  const today = await append()
  return { tenant, records: new Map(), heads: new Map(), past, today, secret: clientSecret, token: '' }
}

export const readerOf = (baseUrl: string, { tenant, token }: LogTenant): Reader => ({
  baseUrl,
  externalId: tenant.externalId,
  token,
})

/** Waits until a node has sealed the past days of all these tenants and signed today. Fails when no further log gets signed. */
export async function untilSigned(server: Installation, tenants: readonly LogTenant[]): Promise<void> {
  let waiting = tenants.map(({ tenant }) => tenant.id)
  while (waiting.length > 0) {
    const unsigned = async () => {
      const { rows } = await server.owner.query<{ id: string }>(
        `select id from unnest($1::uuid[]) id where (select count(*) from audit_seals where tenant_id = id) < 2
           or (select max(c.size) from audit_checkpoints c where c.tenant_id = id and c.date = current_date)
             is distinct from (select size from audit_days d where d.tenant_id = id and d.date = current_date)
           or not exists (select from bound_adoptions where tenant_id = id)`,
        [waiting],
      )
      return rows.length < waiting.length ? rows.map(({ id }) => id) : undefined
    }
    waiting = await until(unsigned, `one of ${waiting.length} logs is signed`, 120_000)
  }
}

/** Notes what is true of a tenant whose log is signed. */
export async function noteTruth(server: Installation, one: LogTenant): Promise<void> {
  const { tenant } = one
  const { rows } = await server.owner.query<{ audit_id: string; record: JsonObject }>(
    'select audit_id, record from audit_records where tenant_id = $1',
    [tenant.id],
  )
  for (const { audit_id: auditId, record } of rows) one.records.set(auditId, record)
  one.heads = await headsOf(server, one)
  const answer = await fetch(`${server.baseUrl}/realms/${tenant.slug}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: client, client_secret: one.secret }),
  })
  one.token = String(inside(await answer.json(), 'access_token'))
}

/** The notes of the tenant's logs by log and size. A size of a log has one root. */
async function headsOf({ ownerPool }: Installation, { tenant }: LogTenant): Promise<Map<string, string>> {
  const { rows } = await ownerPool.query<{ head: string; note: string }>(
    `select date::text || ' ' || size as head, note from audit_checkpoints where tenant_id = $1
     union all select 'seals ' || size, note from audit_seal_checkpoints where tenant_id = $1`,
    [tenant.id],
  )
  const texts = rows.map(({ head, note }) => [head, note.split('\n\n')[0] ?? ''] as const)
  // The owner can put any text into a row, such as the note of another tenant, which was not signed as this one.
  return new Map(texts.filter(([, text]) => text.split('\n')[0]?.includes(`/t/${tenant.externalId}/`)))
}

/** A change by the owner of the database. `make` returns the ids of the records that it forged, if it did. */
export type LogChange = {
  /** The group of the table of results, and what changes. */
  trick: string
  what: string
  make(one: LogTenant, other: LogTenant): Promise<unknown>
  /** An alarm is open before the change and must stay open. */
  alarmed?: boolean
}

/** What the service made of a change: where it found it, and what it still claims although it is not true. */
export type Judgement = { found: string[]; wrong: string[] }

/** Asks the service to sign, export, verify, show and report. */
export async function judgeLog(
  server: Installation,
  reader: Reader,
  one: LogTenant,
  { forged, paused }: { forged: readonly string[]; paused: boolean },
): Promise<Judgement> {
  const found: string[] = []
  const wrong: string[] = []
  for (const auditId of [one.past[1], one.past[3], one.today[1], ...forged].flatMap((id) => id ?? [])) {
    const verified = await verifiedRecord(reader, auditId, paused)
    const holds = inside(verified.json, 'verified') === true
    const shown = await query(reader, 'audit.get', { auditId })
    const record = one.records.get(auditId)
    // While nothing is signed, a record that was repeated may not be covered yet, which claims nothing.
    const pending = paused && inside(verified.json, 'status') === 'pending_seal'
    const where = pending ? 'pending' : 'verify'
    if (!holds && !found.includes(where)) found.push(where)
    if (shown.status !== 200 && !found.includes('read')) found.push('read')
    if (holds && record === undefined) wrong.push(`verifies the forged record ${auditId}`)
    if (holds && shown.status === 200 && !sameRecord(shown.json, record))
      wrong.push(`verifies ${auditId} as ${shown.text}`)
  }
  const archive = await exported(reader, paused ? 5_000 : undefined)
  if (archive.archive === undefined) found.push(archive.status === 'unfinished' ? 'unfinished' : 'export')
  else {
    const { report, files } = archive.archive
    const fails = report.checks.filter(({ state }) => state === 'fails')
    if (fails.length > 0) {
      found.push('archive')
      wrong.push(`published an archive that its verifier refuses: ${fails[0]?.name}: ${fails[0]?.detail}`)
    } else wrong.push(...untrue(files, one.records, forged))
  }
  const heads = await headsOf(server, one)
  for (const [head, text] of heads) {
    const before = one.heads.get(head)
    if (before !== undefined && before !== text) wrong.push(`signed another root for ${head}`)
  }
  const { rows } = await server.ownerPool.query<{ audit_id: string }>(
    `select r.audit_id from audit_records r where r.tenant_id = $1 and r.audit_id = any($2)
       and r.seq < (select max(c.size) from audit_checkpoints c where c.tenant_id = r.tenant_id and c.date = r.date)`,
    [one.tenant.id, forged],
  )
  for (const { audit_id: auditId } of rows)
    if (!one.records.has(auditId)) wrong.push(`signed the forged record ${auditId}`)
  const { rows: repeated } = await server.ownerPool.query<{ audit_id: string }>(
    `select r.audit_id from audit_records r where r.tenant_id = $1
       and r.seq < (select max(c.size) from audit_checkpoints c where c.tenant_id = r.tenant_id and c.date = r.date)
     group by r.audit_id having count(*) > 1`,
    [one.tenant.id],
  )
  for (const { audit_id: auditId } of repeated) wrong.push(`signed the record ${auditId} twice`)
  if (await hasAlarm(reader)) found.push('alarm')
  else if (!paused && found.some((where) => where !== 'unfinished'))
    wrong.push(`did not raise an alarm, although ${found.join(', ')} found it`)
  return { found, wrong }
}

/**
 * A node signs one tenant after the other, and reports what is broken again each time. With hundreds of broken logs, two nodes and the
 * exports of these cases on two cores, one round was measured at 60 to 190 seconds. The promise is ten minutes.
 */
const signedWithinMs = 600_000

/**
 * The verification of a record. One that waits for a signature claims nothing: it is asked again until the log is signed, as after
 * its signature was deleted, or an alarm says why it is not.
 */
async function verifiedRecord(reader: Reader, auditId: string, paused: boolean) {
  const ask = () => query(reader, 'traces.verify', { tenant: reader.externalId, auditId })
  if (paused) return await ask()
  return await until(
    async () => {
      const verified = await ask()
      const pending = inside(verified.json, 'status') === 'pending_seal' && !(await hasAlarm(reader))
      return pending ? undefined : verified
    },
    `record ${auditId} is signed, or an alarm is open`,
    signedWithinMs,
  )
}

/** Whether an alarm is open. Without the tenant's key no request is answered, which reports it as loudly. */
export async function hasAlarm(reader: Reader): Promise<boolean> {
  const { status, json } = await query(reader, 'alarms.list', { status: 'open' })
  return status !== 200 || itemsOf(json).length > 0
}

const sameRecord = (shown: JsonValue, record: JsonValue | undefined): boolean =>
  record !== undefined && canonicalJson(inside(shown, 'record')) === canonicalJson(record)

/** What an archive that agrees has that never happened, or does not have that did. */
function untrue(
  files: Map<string, Buffer>,
  records: ReadonlyMap<string, JsonValue>,
  forged: readonly string[],
): string[] {
  const wrong: string[] = []
  const exportedRecords = new Map<string, JsonValue>()
  for (const [path, data] of files)
    if (/^data\/audit\/.*\.ndjson$/.test(path))
      for (const line of String(data).split('\n').slice(0, -1)) {
        const { record } = JSON.parse(line)
        if (exportedRecords.has(record.auditId)) wrong.push(`exported the record ${record.auditId} twice`)
        exportedRecords.set(record.auditId, record)
      }
  for (const [auditId, record] of records) {
    const other = exportedRecords.get(auditId)
    if (other === undefined) wrong.push(`exported without the record ${auditId}`)
    else if (canonicalJson(other) !== canonicalJson(record)) wrong.push(`exported another record ${auditId}`)
  }
  for (const auditId of forged)
    if (!records.has(auditId) && exportedRecords.has(auditId)) wrong.push(`exported the forged record ${auditId}`)
  return wrong
}

/** Applies a change with all triggers silenced. Throws if it changes nothing. */
export async function change(
  { owner }: Pick<PropertyServer, 'owner'>,
  ...statements: (readonly [text: string, values: readonly unknown[]])[]
): Promise<void> {
  if ((await asOwnerWithoutTriggers(owner, statements)) === 0) throw new Error(`No rows: ${statements[0]?.[0]}`)
}
