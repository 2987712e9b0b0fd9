import { createHash } from 'node:crypto'
import { canonicalJson, JcsError } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { readDay, type SignedDay } from '#server/audit/sealing/read-day.ts'
import { leafOf } from '#server/audit/sealing/record-leaf.ts'
import type { Bag } from '#server/evidence/archive/bag.ts'
import { type Coverage, chainFile } from '#server/evidence/archive/coverage.ts'
import { type ClaimedExport, checkStillOurs } from '#server/evidence/jobs/export-claim.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { readBatches, readResources } from './collect-batches-store.ts'
import { readFiles, readInputEvents, readInputResolutions, readInputWaits } from './collect-inputs-store.ts'
import {
  listSpanDates,
  type Period,
  readAgents,
  readAgentVersions,
  readApprovals,
  readApprovalVotes,
  readDecisions,
  readExecutionEvents,
  readExecutions,
  readMembers,
  readPolicies,
  readPolicyBindings,
  readReleases,
  readSpans,
} from './collect-store.ts'
import { LeafColumn } from './leaf-column.ts'
import { maskedNames, maskedSenders } from './masked-texts.ts'
import { type LeftOut, rawValues } from './raw-payloads.ts'
import { reportHtml } from './report-html.ts'
import { reportRows } from './report-rows.ts'

const ndjson = { mediaType: 'application/x-ndjson' }
const text = { mediaType: 'text/plain; charset=utf-8' }

/**
 * Rows are read from a little before the period on: a row has the time at which its transaction began, its audit record the
 * time of the commit, and a record of the period obliges the archive to have the row.
 */
const marginMs = 60_000

/** Files of one query each, in the order of the archive. */
type Resource = readonly [
  name: string,
  read: (tx: Transaction, tenantId: string, period: Period) => AsyncIterable<object>,
]
const resources: readonly Resource[] = [
  ['members', readMembers],
  ['agents', readAgents],
  ['agent-versions', readAgentVersions],
  ['releases', readReleases],
  ['policies', readPolicies],
  ['policy-bindings', readPolicyBindings],
  ['executions', (...from) => withDigests(readExecutions(...from))],
  ['execution-events', readExecutionEvents],
  ['input-events', (...from) => withDataDigest(maskedSenders(from[0], from[1], readInputEvents(...from)))],
  ['input-waits', readInputWaits],
  ['input-resolutions', readInputResolutions],
  ['files', (...from) => maskedNames(from[0], from[1], readFiles(...from))],
  ['approvals', readApprovals],
  ['approval-votes', readApprovalVotes],
  ['decisions', readDecisions],
]

/**
 * Writes all payload files and returns the omissions. Throws LogBroken if the log has changed since `days` were signed, and
 * Superseded if another worker has taken over the export.
 */
export async function collect(run: ClaimedExport, bag: Bag, covered: Coverage): Promise<LeftOut[]> {
  const { tenant, row } = run
  const leftOut: LeftOut[] = []
  const { database } = runtime()
  const { period, days, seals, before } = covered
  const add = async (path: string, read: (tx: Transaction) => AsyncIterable<string>) => {
    await checkStillOurs(run)
    await database.inTenant(tenant.id, (tx) => bag.addFile(path, read(tx), ndjson))
  }

  const json = { mediaType: 'application/json' }
  await bag.addFile('data/export.json', [`${JSON.stringify(description(run, covered), null, 2)}\n`], json)
  await bag.addFile('data/chain.json', [chainFile(covered)], json)
  const rowsFrom = { start: new Date(period.start.getTime() - marginMs), end: period.end }
  const report = reportRows()
  const payload = row.includeRawPayloads ? unmasked : (file: Resource) => file
  for (const [name, read] of resources.map(payload))
    await add(`data/${name}.ndjson`, (tx) =>
      lines(noted(name, report.watch(name, read(tx, tenant.id, rowsFrom)), leftOut)),
    )
  const dates = await database.inTenant(tenant.id, (tx) => listSpanDates(tx, tenant.id, period))
  for (const date of dates) {
    const day = within(date, period)
    await add(`data/traces/${date}.spans.ndjson`, (tx) => lines(readSpans(tx, tenant.id, day)))
    await add(`data/traces/${date}.resources.ndjson`, (tx) =>
      lines(withoutEncrypted(readResources(tx, tenant.id, day))),
    )
    if (row.includeProofs)
      await add(`data/traces/${date}.batches.ndjson`, (tx) => lines(withLeaves(readBatches(tx, tenant.id, day))))
  }
  if (row.includeRawPayloads)
    for (const date of dates)
      await add(`data/raw/${date}.values.ndjson`, (tx) =>
        lines(rawValues(tx, tenant.id, within(date, period), leftOut)),
      )
  for (const day of days) {
    const leaves = new LeafColumn()
    await add(`data/audit/${day.date}.ndjson`, (tx) => auditLines(tx, run, covered, day, leaves))
    if (!row.includeProofs) continue
    await bag.addFile(`data/proofs/${day.date}.checkpoint`, [day.note], text)
    if (day.seal !== undefined) await bag.addFile(`data/proofs/${day.date}.seal.tlog-proof`, [day.seal.tlogProof], text)
    await bag.addFile(`data/proofs/${day.date}.leaves`, leaves.pieces(), { mediaType: 'application/octet-stream' })
  }
  if (row.includeProofs && seals !== undefined) await bag.addFile('data/proofs/seals.checkpoint', [seals.note], text)
  const keys = [...days.flatMap((day) => [day, day.seal]), seals, before].flatMap((one) => one?.verifierKey ?? [])
  await bag.addFile('data/keys/vkeys.txt', [[...new Set(keys)].map((key) => `${key}\n`).join('')], text)
  await bag.addFile('data/report.html', reportHtml(run, covered, report, leftOut), { mediaType: 'text/html' })
  // Empty if the archive is complete.
  await bag.addFile(
    'data/omissions.ndjson',
    leftOut.map((one) => `${JSON.stringify(one)}\n`),
    ndjson,
  )
  return leftOut
}

/** Adds rows whose content was removed, by an erasure or the tenant's retention, to the omissions. */
async function* noted(resource: string, rows: AsyncIterable<object>, leftOut: LeftOut[]): AsyncGenerator<object> {
  for await (const row of rows) {
    if (
      'contentGone' in row &&
      'id' in row &&
      (row.contentGone === 'erased' || row.contentGone === 'retention_expired')
    )
      leftOut.push({ resource, id: String(row.id), reason: row.contentGone })
    yield row
  }
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

/** Yields the day's records in the period: `{leaf, nonce, record}`. `leaves` receives the hashes of all records of the day. */
async function* auditLines(
  tx: Transaction,
  { tenant }: ClaimedExport,
  { period: { start, end } }: Coverage,
  day: SignedDay,
  leaves: LeafColumn,
): AsyncGenerator<string> {
  for await (const row of readDay(tx, tenant, day)) {
    leaves.push(row.leafHash)
    if (row.createdAt < start || row.createdAt >= end) continue
    const { nonce, record } = row
    yield `${JSON.stringify({ leaf: leafOf(row, tenant.externalId), nonce: nonce.toString('hex'), record })}\n`
  }
}

/**
 * Replaces inputs and outputs, which may be sensitive, with their digests for an archive without raw payloads. Null if no
 * value exists, or if content was removed by an erasure or the tenant's retention, which data/omissions.ndjson lists.
 */
async function* withDigests<Row extends { input: unknown; output: unknown; contentGone: string | null }>(
  rows: AsyncIterable<Row>,
): AsyncGenerator<object> {
  for await (const { input, output, ...row } of rows) {
    const digest = (value: unknown) => (value === null || row.contentGone !== null ? null : digestOf(value))
    yield { ...row, inputDigest: digest(input), outputDigest: digest(output) }
  }
}

/** The same for the data of input events. */
async function* withDataDigest<Row extends { data: unknown; contentGone: string | null }>(
  rows: AsyncIterable<Row>,
): AsyncGenerator<object> {
  for await (const { data, ...row } of rows)
    yield { ...row, dataDigest: row.contentGone === null ? digestOf(data) : null }
}

/** Files that otherwise contain digests of inputs and outputs. */
const payloads = new Map<string, Resource[1]>([
  ['executions', readExecutions],
  ['input-events', readInputEvents],
  ['files', readFiles],
])
const unmasked = ([name, read]: Resource): Resource => [name, payloads.get(name) ?? read]

/** Returns null for a value without a canonical form, such as an integer beyond 2^53. */
function digestOf(value: unknown): string | null {
  try {
    return `sha256:${createHash('sha256')
      .update(canonicalJson(value as JsonValue))
      .digest('hex')}`
  } catch (error) {
    if (error instanceof JcsError) return null
    throw error
  }
}

/** Returns the part of the period on a UTC date. */
function within(date: string, { start, end }: Period): Period {
  const midnight = Date.parse(date)
  const nextMidnight = midnight + 24 * 3600 * 1000
  return {
    start: new Date(Math.max(start.getTime(), midnight)),
    end: new Date(Math.min(end.getTime(), nextMidnight)),
  }
}

const description = ({ tenant, row }: ClaimedExport, { period }: Coverage) => ({
  type: 'evidence-room-bundle-v1',
  exportId: row.id,
  tenant: { externalId: tenant.externalId, name: tenant.name },
  period: { start: period.start.toISOString(), end: period.end.toISOString() },
  requestedPeriod: { start: row.startAt.toISOString(), end: row.endAt.toISOString() },
  requestedBy: row.requestedBy,
  createdAt: row.createdAt.toISOString(),
  options: { includeProofs: row.includeProofs, includeRawPayloads: row.includeRawPayloads },
  contents: {
    configuration:
      'Members, agents, releases, published policies and bindings that existed before the end of the period.',
    activity:
      'Executions and approvals in progress during the period; events, votes, decisions and spans recorded in it.',
    payloads: row.includeRawPayloads
      ? 'Inputs and outputs are included unmasked; arguments as their SHA-256 over canonical JSON (RFC 8785).'
      : 'Inputs, outputs and arguments are included as their SHA-256 over canonical JSON (RFC 8785).',
    masking: row.includeRawPayloads
      ? 'Sensitive values of spans are in data/raw; `commitment` is base64url(SHA-256(JCS([salt, value]))), the `sd` of the attribute in data/traces.'
      : 'In events, spans, senders’ texts and file names, a sensitive value is {"$masked":{"class","length"}}.',
    traces:
      'data/traces contains the spans; `auditId` and `resourceIndex` identify the line of the resources, `auditId` and `batchIndex` the leaf of the batches. README.txt describes how to verify a span.',
    log: 'data/audit contains {leaf, nonce, record} for each record of the period; data/proofs contains the leaf hashes of whole days.',
  },
})
