import { randomBytes } from 'node:crypto'
import type { CatalogEntry } from '#server/catalog/operations.ts'
import { collectCatalog } from '#server/catalog.ts'
import { boundTypes } from '#server/kernel/bound/types.ts'
import { otlpJson } from '#server/testing/otlp.ts'
import { addressOf, requestOf } from '#server/testing/properties/call.ts'
import { cellsOf } from '#server/testing/properties/operations.ts'
import type { PropertyServer } from '#server/testing/properties/server.ts'
import { apiOf, buildWorld, type World } from '#server/testing/properties/world.ts'
import { until } from '#server/testing/until.ts'
import { ask, type Exported, exported, inside, query, type Reader } from './calls.ts'

/** A tenant with rows of every kind, every way of reading them, and what is true. */
export type RowWorld = {
  world: World
  token: string
  /** The paths of all reads, with the response before any change. */
  reads: Map<string, string>
  /** The files of rows in an archive, by path. */
  files: Map<string, string>
  /** The record that commits to the last state of each object, by `<type>/<id>`; each verifies before any change. */
  records: Map<string, string>
}

/** Streams, texts that change with time, and what a change of rows may not reach. */
const leftOut =
  /stream|watch|metrics|catalog|openapi|audit\.|alarms\.|session\.|evidence|\/v1\/log|agents\.check|policies\.check|traces\.verify/

export async function buildRowWorld(server: PropertyServer, slug: string): Promise<RowWorld> {
  await history(server)
  const world = await buildWorld(server, slug)
  const token = String(world.credentials.person.authorization).slice('Bearer '.length)
  const api = apiOf(server.baseUrl, token)
  const reason = 'As agreed with the auditor.'
  const { objects } = world
  await api.mutate('holds.release', { id: objects.hold, expectedRevision: 1, reason })
  await api.mutate('holds.create', { traceId: objects.trace, reason })
  await api.mutate('delegations.end', { id: objects.delegation })
  await world.another.delegation?.()
  await api.mutate('traces.unmask', {
    traceId: objects.trace,
    purpose: 'Proof',
    justification: `${reason} It reads the masked values.`,
  })
  await api.mutate('erasures.create', { subject: 'unknown@nowhere.example', reason })
  const spanned = randomBytes(16).toString('hex')
  const sent = await fetch(new URL('/v1/traces', server.baseUrl), {
    method: 'POST',
    headers: { ...world.credentials.service_account, 'content-type': 'application/json' },
    body: otlpJson(
      [{ traceId: spanned, spanId: spanned.slice(0, 16), startMs: Date.now() - 1000, endMs: Date.now() }],
      [['service.name', slug]],
    ),
  })
  if (!sent.ok) throw new Error(`The spans: ${sent.status} ${await sent.text()}`)
  await until(
    async () => {
      const { rows } = await server.owner.query(
        `select 1 where exists (select from bound_adoptions where tenant_id = $1)
           and not exists (select from erasures where tenant_id = $1 and status not like 'completed%')`,
        [world.tenant.id],
      )
      return rows[0]
    },
    'the rows are bound',
    60_000,
  )
  return { world, token, reads: new Map(), files: new Map(), records: new Map() }
}

/** The owner keeps every earlier state of rows, to replay them. */
async function history({ owner }: PropertyServer): Promise<void> {
  await owner.query(`
    create schema if not exists history;
    create table if not exists history.rows (tab text, tenant_id uuid, row jsonb, at bigserial);
    create or replace function history.keep() returns trigger language plpgsql security definer as $$
      begin
        insert into history.rows (tab, tenant_id, row) values (tg_table_name, old.tenant_id, to_jsonb(old));
        return null;
      end $$;
    grant usage on schema history to public;`)
  for (const table of [...boundTypes.map(({ table }) => table), 'bound_states'])
    await owner.query(
      `create or replace trigger history_of_owner after update on ${table} for each row execute function history.keep()`,
    )
}

export const readerOfWorld = (baseUrl: string, { world, token }: RowWorld): Reader => ({
  baseUrl,
  externalId: world.tenant.externalId,
  token,
})

/** The reads of the catalog that return the same twice, by path. */
async function pathsOf({ world }: RowWorld): Promise<string[]> {
  const paths: string[] = []
  for (const entry of collectCatalog() as CatalogEntry[]) {
    const address = addressOf(entry)
    if (entry.method !== 'GET' || leftOut.test(address)) continue
    for (const { names, input } of cellsOf(address)) {
      const named = names === 'nothing' || names === 'new name' ? '' : world.objects[names]
      paths.push(requestOf(entry, await input(named, world)).path)
    }
  }
  const { objects } = world
  for (const [name, input] of [
    ['executions.inputWaits.list', { limit: 100 }],
    ['policies.decisions', { limit: 100 }],
    ['members.list', { limit: 100 }],
    ['approvals.list', { limit: 100 }],
    ['executions.list', { limit: 100, agentId: objects.agent }],
  ] as const)
    paths.push(`/v1/${name}?input=${encodeURIComponent(JSON.stringify({ json: input }))}`)
  return paths
}

/** Notes what every read returns, what an archive contains, and which records verify. */
export async function noteRows({ owner }: PropertyServer, reader: Reader, one: RowWorld): Promise<void> {
  const first = new Map<string, string>()
  const paths = await pathsOf(one)
  for (const path of paths) first.set(path, (await ask(reader, path)).text)
  for (const path of paths) {
    const { status, text } = await ask(reader, path)
    if (status === 200 && first.get(path) === text) one.reads.set(path, text)
  }
  const made = await exported(reader)
  if (made.archive === undefined) throw new Error(`The export of the true rows: ${made.status} ${made.message}`)
  for (const [path, data] of made.archive.files) if (isOfRows(path)) one.files.set(path, String(data))
  const { rows } = await owner.query<{ object: string; audit_id: string }>(
    `select type || '/' || id as object, audit_id from bound_states where tenant_id = $1 and digest is not null
     union all select 'telemetry', audit_id from (
       select audit_id from telemetry_batches where tenant_id = $1 order by audit_id desc limit 1) last`,
    [one.world.tenant.id],
  )
  const verified = new Map<string, boolean>()
  for (const { object, audit_id: auditId } of rows) {
    if (!verified.has(auditId))
      verified.set(auditId, await until(() => verifies(reader, auditId), `${object} verifies`))
    one.records.set(object, auditId)
  }
}

/** Whether traces.verify says that a record, and the rows that it commits to, are true. */
const isVerified = async (reader: Reader, auditId: string): Promise<boolean> =>
  inside((await query(reader, 'traces.verify', { tenant: reader.externalId, auditId })).json, 'verified') === true

/** True once the record is signed and verifies. */
const verifies = async (reader: Reader, auditId: string): Promise<true | undefined> =>
  (await isVerified(reader, auditId)) ? true : undefined

const isOfRows = (path: string): boolean =>
  /^data\/(?:traces\/)?[a-z0-9.-]+\.ndjson$/.test(path) && !/omissions|members/.test(path)

/** Where a change was found, and what still shows it: reads by name, and the archive with what its verifier made of it. */
export type RowJudgement = { found: string[]; shown: string[]; archive: Archive }

/** What an archive has of a change. `wrong`: it was published although its verifier refuses it, or it agrees. */
export type Archive = { wrong: string | undefined; text: string }

/** Reads everything, and makes an archive. */
export async function judgeRows(reader: Reader, one: RowWorld): Promise<RowJudgement> {
  const found = new Set<string>()
  const shown = new Set<string>()
  for (const [path, before] of one.reads) {
    const { status, text, json } = await ask(reader, path)
    if (status === 200 && text === before) continue
    const code = inside(json, 'code') ?? inside(json, 'error', 'json', 'data', 'reason')
    if (code === 'integrity_failed') found.add('read')
    else
      shown.add(
        `${/^\/v1\/([\w./-]*?)(?:\/[0-9a-f-]{36}.*)?(?:\?|$)/.exec(path)?.[1]}${status === 200 ? '' : ` ${status}`}`,
      )
  }
  const made = await exported(reader)
  if (made.archive === undefined) found.add(made.status === 'failed' ? 'export' : made.status)
  return { found: [...found], shown: [...shown], archive: whatArchive(made, one) }
}

/** Makes an archive. */
export const judgeArchive = async (reader: Reader, one: RowWorld): Promise<Archive> =>
  whatArchive(await exported(reader), one)

function whatArchive({ archive }: Exported, one: RowWorld): Archive {
  if (archive === undefined) return { wrong: undefined, text: '' }
  const { report, files } = archive
  const fails = report.checks.find((check) => check.state === 'fails')
  if (fails !== undefined) return wrong(`published, and refused by its verifier: ${fails.name}: ${fails.detail}`)
  const changed = [...one.files].find(([path, text]) => text !== String(files.get(path) ?? ''))
  if (changed === undefined) return { wrong: undefined, text: 'true' }
  const { log, completeness } = report.verdicts
  return log === 'holds' && completeness === 'holds'
    ? wrong(`agrees, with another ${changed[0]}`)
    : { wrong: undefined, text: `another ${changed[0]}, log ${log}, completeness ${completeness}` }
}

const wrong = (text: string): Archive => ({ wrong: text, text })

/**
 * Whether traces.verify still says that the record of a changed object is true. Undefined for an object without a record,
 * such as an inserted one.
 */
export async function judgeRecord(reader: Reader, one: RowWorld, object: string): Promise<boolean | undefined> {
  const auditId = one.records.get(object)
  return auditId === undefined ? undefined : await isVerified(reader, auditId)
}
