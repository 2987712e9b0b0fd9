import { mostWaitMs } from '#lib/verify/log.ts'
import { listExpiredFiles } from '#server/audit/coverage-store.ts'
import { type LoggedRecord, readDay, type SignedDay } from '#server/audit/sealing/read-day.ts'
import { findPlaces, findRegistrations } from '#server/audit/store.ts'
import type { Bag } from '#server/evidence/archive/bag.ts'
import { type Coverage, type CoveredDay, chainFile } from '#server/evidence/archive/coverage.ts'
import { type ClaimedExport, stillOursNowAndThen } from '#server/evidence/jobs/export-claim.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { batchIds, readBatches, readResources } from './collect-batches-store.ts'
import { committedElsewhere, rowsOfFile } from './collect-rows.ts'
import { listSpanDates, readSpans } from './collect-spans-store.ts'
import { type Period, rowFiles } from './collect-store.ts'
import { readTraces } from './collect-traces-store.ts'
import { inLots } from './in-lots.ts'
import { LeafColumn } from './leaf-column.ts'
import type { LeftOut } from './left-out.ts'
import { maskedResources, maskedSpans } from './masked-spans.ts'
import { type NamedRecords, namedRecords, notingPasskeys, otherRecords } from './other-records.ts'
import { rawValues } from './raw-payloads.ts'
import { mayHaveRaw } from './raw-permission.ts'
import { reportHtml } from './report-html.ts'
import { reportRows } from './report-rows.ts'
import { recordsInScope, scopeText } from './scope.ts'

const ndjson = { mediaType: 'application/x-ndjson' }
const text = { mediaType: 'text/plain; charset=utf-8' }

/**
 * Rows are read from a little before the period on: a row has the time at which its transaction began, its audit record the
 * time of the commit, and a record of the period obliges the archive to have the row. Until all rows are bound, the states in a record
 * don't name each of them, and the record may be from before the midnight at which the period begins.
 */
const marginMs = 60_000
const unboundMarginMs = marginMs + mostWaitMs

/**
 * Writes all payload files and returns the omissions. If the requester may no longer read raw payloads, the archive is without
 * them, which `run` then says. Throws LogBroken if the log has changed since `days` were signed, and
 * Superseded if another worker has taken over the export.
 */
export async function collect(run: ClaimedExport, bag: Bag, covered: Coverage): Promise<LeftOut[]> {
  const { tenant } = run
  const leftOut: LeftOut[] = []
  const { database } = runtime()
  if (run.row.includeRawPayloads && !(await database.inTenant(tenant.id, (tx) => mayHaveRaw(tx, run)))) {
    run.row = { ...run.row, includeRawPayloads: false }
    leftOut.push({ resource: 'raw-payloads', reason: 'permission_denied' })
  }
  const { row } = run
  const { days, seals, before } = covered
  const period = { ...covered.period, scope: row.scope }
  const stillOurs = stillOursNowAndThen(run)
  const add = async (path: string, read: (tx: Transaction) => AsyncIterable<string>) => {
    await stillOurs()
    await database.inTenant(tenant.id, (tx) => bag.addFile(path, read(tx), ndjson))
  }
  /** The same from the snapshot of the rows. */
  const addSpans = async (path: string, read: (tx: Transaction) => AsyncIterable<string>) => {
    await stillOurs()
    await database.inSnapshot(tenant.id, { id: covered.rows.snapshot }, (tx) => bag.addFile(path, read(tx), ndjson))
  }

  const json = { mediaType: 'application/json' }
  await bag.addFile('data/export.json', [`${JSON.stringify(description(run, covered), null, 2)}\n`], json)
  await bag.addFile('data/chain.json', [chainFile(covered)], json)
  const margin = covered.rows.boundSince === undefined ? unboundMarginMs : marginMs
  const rowsFrom = { ...period, start: new Date(period.start.getTime() - margin) }
  const report = reportRows()
  const masked = !row.includeRawPayloads
  // Kinds of rows with content that an archive without raw payloads leaves out.
  const withheld = new Set<string>()
  const named = namedRecords(row.scope === null ? days : [])
  for (const day of days) {
    const leaves = new LeafColumn()
    await add(`data/audit/${day.date}.ndjson`, (tx) => auditLines(tx, run, day, leaves, named))
    if (!row.includeProofs) continue
    await bag.addFile(`data/proofs/${day.date}.checkpoint`, [day.note], text)
    if (day.seal !== undefined) await bag.addFile(`data/proofs/${day.date}.seal.tlog-proof`, [day.seal.tlogProof], text)
    await bag.addFile(`data/proofs/${day.date}.leaves`, leaves.pieces(), { mediaType: 'application/octet-stream' })
  }
  await database.inSnapshot(tenant.id, { id: covered.rows.snapshot }, async (tx) => {
    const archive = {
      tenantId: tenant.id,
      cipher: await tenantCipher(tx, tenant.id),
      masked,
      strictSince: covered.rows.boundSince,
      leftOut,
      withheld: (name: string) => void withheld.add(name),
      committedBy: named.needed,
    }
    // An archive of one object has what belongs to that object, and so does its log.
    const elsewhere =
      archive.strictSince === undefined || row.scope !== null
        ? undefined
        : await committedElsewhere(tx, tenant.id, { days, rowsFrom })
    const passkeys = new Set<string>()
    for (const file of rowFiles) {
      if (file.later === true && covered.rows.spansBoundSince === undefined) continue
      await stillOurs()
      const found = rowsOfFile(tx, archive, file, { rowsFrom, elsewhere: elsewhere?.get(file) ?? new Set() })
      const rows = file.type === 'approval_vote' ? notingPasskeys(found, passkeys) : found
      await bag.addFile(`data/${file.name}.ndjson`, lines(report.watch(file.name, rows)), ndjson)
    }
    if (archive.strictSince === undefined) return
    for (const place of await findRegistrations(tx, tenant.id, [...passkeys])) named.needed(place)
  })
  const dates = await database.inSnapshot(tenant.id, { id: covered.rows.snapshot }, async (tx) => {
    for await (const lot of inLots(batchIds(tx, tenant.id, period)))
      for (const place of await findPlaces(
        tx,
        tenant.id,
        lot.map(({ auditId }) => auditId),
      ))
        named.needed(place)
    return await listSpanDates(tx, tenant.id, period)
  })
  await addSpans('data/traces.ndjson', (tx) => lines(readTraces(tx, tenant.id, period)))
  const others: SignedDay[] = row.includeProofs ? await addOtherRecords(run, bag, { named, seals }) : []
  // A file whose bytes expired still has its row, which is listed above.
  const listed = new Set(leftOut.flatMap(({ resource, id }) => (resource === 'files' ? [id] : [])))
  for (const id of await database.inTenant(tenant.id, (tx) => listExpiredFiles(tx, tenant.id, days)))
    if (!listed.has(id)) leftOut.push({ resource: 'files', id, reason: 'retention_expired' })
  for (const date of dates) {
    const day = within(date, period)
    await addSpans(`data/traces/${date}.spans.ndjson`, (tx) => {
      const spans = readSpans(tx, tenant.id, day, { masked, bound: covered.rows.spansBoundSince !== undefined })
      return lines(masked ? maskedSpans(spans, leftOut, () => withheld.add('spans')) : spans)
    })
    await addSpans(`data/traces/${date}.resources.ndjson`, (tx) => {
      const found = readResources(tx, tenant.id, day)
      return lines(masked ? maskedResources(found, leftOut, () => withheld.add('resources')) : withoutEncrypted(found))
    })
    if (row.includeProofs)
      await addSpans(`data/traces/${date}.batches.ndjson`, (tx) => lines(withLeaves(readBatches(tx, tenant.id, day))))
  }
  if (row.includeRawPayloads)
    for (const date of dates)
      await addSpans(`data/raw/${date}.values.ndjson`, (tx) =>
        lines(rawValues(tx, tenant.id, within(date, period), leftOut)),
      )
  if (row.includeProofs && seals !== undefined) await bag.addFile('data/proofs/seals.checkpoint', [seals.note], text)
  const keys = [...[...days, ...others].flatMap((day) => [day, day.seal]), seals, before].flatMap(
    (one) => one?.verifierKey ?? [],
  )
  await bag.addFile('data/keys/vkeys.txt', [[...new Set(keys)].map((key) => `${key}\n`).join('')], text)
  for (const resource of withheld) leftOut.push({ resource, reason: 'masked' })
  await bag.addFile('data/report.html', reportHtml(run, covered, report, leftOut), { mediaType: 'text/html' })
  // Empty if the archive is complete.
  await bag.addFile(
    'data/omissions.ndjson',
    leftOut.map((one) => `${JSON.stringify(one)}\n`),
    ndjson,
  )
  return leftOut
}

/** Adds the records that commit to rows and that are not among those of the period, with proofs. Returns their days. */
async function addOtherRecords(
  { tenant }: ClaimedExport,
  bag: Bag,
  needed: { named: NamedRecords; seals: Coverage['seals'] },
): Promise<SignedDay[]> {
  const { database } = runtime()
  const days: SignedDay[] = []
  await database.inTenant(tenant.id, (tx) =>
    bag.addFile('data/other-records.ndjson', lines(otherRecords(tx, tenant, needed, days)), ndjson),
  )
  for (const { date, note, seal } of days) {
    await bag.addFile(`data/proofs/other/${date}.checkpoint`, [note], text)
    if (seal !== undefined) await bag.addFile(`data/proofs/other/${date}.seal.tlog-proof`, [seal.tlogProof], text)
  }
  return days
}

/** Omits the encrypted values of a resource. If raw payloads are requested, data/raw contains them. */
async function* withoutEncrypted(rows: ReturnType<typeof readResources>): AsyncGenerator<object> {
  for await (const { sealed: _sealed, ...row } of rows) yield row
}

/** Returns hashes in hexadecimal, one for each span that the request added. */
async function* withLeaves(rows: ReturnType<typeof readBatches>): AsyncGenerator<object> {
  for await (const { auditId, leaves } of rows) yield { auditId, leaves: leaves.toString('hex').match(/.{64}/g) ?? [] }
}

async function* lines(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}

/** Yields the lines of the day's records in the period: `{leaf, nonce, record}`. `leaves` receives the hashes of all records of the day. */
async function* auditLines(
  tx: Transaction,
  { tenant, row: { scope } }: ClaimedExport,
  day: CoveredDay,
  leaves: LeafColumn,
  named: NamedRecords,
): AsyncGenerator<string> {
  for await (const lot of readDay(tx, tenant, day)) {
    for (const { leafHash } of lot) leaves.push(leafHash)
    const ofPeriod = lot.filter(({ seq }) => seq >= day.from && seq < day.to)
    const rows = scope === null ? ofPeriod : await recordsInScope(tx, tenant.id, scope, ofPeriod)
    if (scope !== null) for (const row of rows) named.contained(row)
    yield rows.map(auditLine).join('')
  }
}

const auditLine = ({ leafText, nonce, recordText }: LoggedRecord) =>
  `{"leaf":${leafText},"nonce":"${nonce}","record":${recordText}}\n`

/** Returns the part of the period on a UTC date. */
function within(date: string, { start, end, scope }: Period): Period {
  const midnight = Date.parse(date)
  const nextMidnight = midnight + 24 * 3600 * 1000
  return {
    start: new Date(Math.max(start.getTime(), midnight)),
    end: new Date(Math.min(end.getTime(), nextMidnight)),
    scope: scope ?? null,
  }
}

const description = ({ tenant, row }: ClaimedExport, { period }: Coverage) => ({
  type: 'evidence-room-bundle-v1',
  exportId: row.id,
  tenant: { externalId: tenant.externalId, name: tenant.name },
  period: { start: period.start.toISOString(), end: period.end.toISOString() },
  requestedPeriod: { start: row.startAt.toISOString(), end: row.endAt.toISOString() },
  requestedBy: row.requestedBy,
  purpose: row.purpose,
  scope: row.scope,
  createdAt: row.createdAt.toISOString(),
  options: { includeProofs: row.includeProofs, includeRawPayloads: row.includeRawPayloads },
  contents: {
    ...(row.scope === null ? {} : { scope: scopeText(row.scope) }),
    configuration:
      'Members, agents, releases, published policies and bindings that existed before the end of the period.',
    activity:
      'Executions (with their steps) and approvals in progress during the period; events, votes, decisions and spans recorded in it.',
    rows: 'A row that is bound to the log is {state, bound, values, shown}: `state` is what a record commits to, `values` opens its commitments, and README.txt describes how to recompute it. Another row has its columns only. Each row is as it was after the records that rows.asOf in manifest.json counts.',
    payloads:
      'A column of content (input, output, arguments, error, data, attributes, recipient, name, payload, presentation, request) is the commitment to its value, base64url(SHA-256(JCS([salt, value]))), also after the value was removed; null if there never was one; {"ciphertext"}, the SHA-256 of the encrypted bytes, if it is older than commitments. ' +
      (row.includeRawPayloads
        ? '`values` has the salt and the value of each column.'
        : 'Their salts and values are only in an archive with raw payloads. `shown` is what may be seen of a journal entry, and the code of an execution’s error.'),
    masking: row.includeRawPayloads
      ? 'Sensitive values of spans are in data/raw; `commitment` is base64url(SHA-256(JCS([salt, value]))), the `sd` of the attribute in data/traces and data/execution-spans.ndjson.'
      : 'In journal entries and spans, a masked value is {"$masked":{"class"}}, an attribute with it has `masked`. Inputs, outputs and arguments are masked as a whole; names and free text by their keys and their form. A member that someone sent under the name $masked has the name $$masked.',
    confirmations:
      'A vote that was confirmed with a passkey has the device’s signature over payloadDigest. passkey.registered in the audit log names the key. ' +
      (row.includeRawPayloads
        ? 'content is the SHA-256 of the JCS form of the value of payload, which contains its salt. If the payload has `form` 2, payloadDigest is the SHA-256 of the JCS form of {"content": "sha256:<content>", "shown": <the value of presentation>}; otherwise it is content.'
        : 'What was decided can’t be recomputed from this archive: payloadDigest is made from the payload and its salt, which only an archive with raw payloads contains.'),
    traces:
      'data/execution-spans.ndjson contains the spans of executions, which are bound to the log as rows are; data/traces those of telemetry, and those of executions that are older than that. `auditId` and `resourceIndex` identify the line of the resources, `auditId` and `batchIndex` the leaf of the batches. README.txt describes how to verify a span.',
    log: 'data/audit contains {leaf, nonce, record} for each record of the period; data/proofs contains the leaf hashes of whole days. A record belongs to the day of its log, which may begin with records from shortly before midnight. Where the period begins or ends within a day, the records are those from the first one in it to the last one, as the log has them: their times may be slightly out of order.',
  },
})
