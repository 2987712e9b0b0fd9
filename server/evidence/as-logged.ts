import { ApiError } from '#lib/errors.ts'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { findLastRecord } from '#server/audit/last-record-store.ts'
import { listKeyedRecords } from '#server/audit/sealing/signer-store.ts'
import { whyNotOurs } from '#server/audit/sealing/unkeyed-records.ts'
import type { LogOwner, StoredRecord } from '#server/audit/store.ts'
import { verifyRecord } from '#server/audit/verifying/verify-record.ts'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { archiveNameOf, type RecordedExport, type RecordPlace } from './store.ts'

// The rows of exports are not bound to the log as rows of evidence are: the records about an export say the same as its row.

/**
 * Compares an export with its records: who asked for what, the state that it reached, and the digests of what was published.
 * Throws IntegrityFailed for one that was changed outside the server.
 */
export async function requireLogged(tx: Transaction, tenant: LogOwner, row: RecordedExport): Promise<void> {
  const reason = (await whyUnlikeRequest(tx, tenant, row)) ?? (await whyUnlikeState(tx, tenant, row))
  if (reason !== undefined)
    throw new IntegrityFailed({ tenantId: tenant.id, type: 'evidence_export', id: row.id, reason })
}

async function whyUnlikeRequest(tx: Transaction, tenant: LogOwner, row: RecordedExport): Promise<string | undefined> {
  const read = await recordAt(tx, tenant, { type: 'evidence_export', id: row.id }, row.requestedIn)
  if ('why' in read) return `The record of its request ${read.why}.`
  const { actor, details } = read
  const unlike = Object.entries({
    requestedBy: actor.id === row.requestedBy,
    startDate: isMoment(details.startDate, row.startAt),
    endDate: isMoment(details.endDate, row.endAt),
    includeProofs: details.includeProofs === row.includeProofs,
    includeRawPayloads: details.includeRawPayloads === row.includeRawPayloads,
    scope: isSame(details.scope, row.scope),
    purpose: isSame(details.purpose, row.purpose),
    createdAt: isNear(read.at, row.createdAt),
  }).find(([, same]) => !same)
  return unlike && `Its ${unlike[0]} is not what the record of its request says.`
}

async function whyUnlikeState(tx: Transaction, tenant: LogOwner, row: RecordedExport): Promise<string | undefined> {
  const { status, reachedIn, manifestSha256, archiveSha256, archiveBytes, error } = row
  if (reachedIn === null) return status === 'queued' ? undefined : `No record says that it is ${status}.`
  if (reachedIn.status !== status) return `It is ${status}, and the newest record says ${reachedIn.status}.`
  const read = await recordAt(tx, tenant, { type: 'evidence_export', id: row.id }, reachedIn)
  if ('why' in read) return `The record of its state ${read.why}.`
  const { details } = read
  if (row.endedAt !== null && !isNear(read.at, row.endedAt))
    return 'Its endedAt is not what the record of its end says.'
  if (row.archiveName !== null && row.archiveName !== archiveNameOf(row.id)) return 'Its archive has another name.'
  if ((details.manifestSha256 ?? null) !== manifestSha256 || !row.manifestIntact)
    return 'Its manifest is not the one that was published.'
  // Records of earlier versions don't have these.
  if (details.sha256 !== undefined && (details.sha256 !== archiveSha256 || details.bytes !== archiveBytes))
    return 'Its archive is not the one that was published.'
  return isSame(details.error, error) ? undefined : 'Its error is not the one in the record of its end.'
}

/** Throws IntegrityFailed if the tenant has another name than when it was created. */
export async function requireSameName(tx: Transaction, tenant: LogOwner & { name: string }): Promise<void> {
  const { id, name } = tenant
  const read = await recordAt(tx, tenant, { type: 'tenant', id }, await findLastRecord(tx, id, id, ['tenant.created']))
  const reason =
    'why' in read
      ? `The record of its creation ${read.why}.`
      : // Records of earlier versions don't have it.
        (read.details.name ?? name) === name
        ? undefined
        : 'Its name is not the one in the record of its creation.'
  if (reason !== undefined) throw new IntegrityFailed({ tenantId: id, type: 'tenant', id, reason })
}

type Read = { at: Date; actor: JsonObject; details: JsonObject }

/** The record about an object at a place, if this service wrote it. Throws `unavailable` for one that is not signed yet. */
async function recordAt(
  tx: Transaction,
  tenant: LogOwner,
  about: { type: string; id: string },
  at: RecordPlace | null | undefined,
): Promise<Read | { why: string }> {
  const [found] = at == null ? [] : await listKeyedRecords(tx, tenant.id, at.date, at.seq, at.seq + 1)
  if (found === undefined) return { why: 'does not exist' }
  const why = found.mac === null ? await whyNotSigned(tx, tenant, found) : await whyNotOurs(tx, tenant, found)
  if (why !== undefined) return { why }
  const record = objectOf(found.record)
  // The column by which it was found is not part of what its mac covers.
  if (!isSame(record.resource, about)) return { why: 'is about another object' }
  return { at: found.createdAt, actor: objectOf(record.actor), details: objectOf(record.details) }
}

/** A record without a mac is from a version before there were any, or was inserted: the signer signs only the former. */
async function whyNotSigned(tx: Transaction, tenant: LogOwner, { auditId }: StoredRecord): Promise<string | undefined> {
  const { verified, status, checks } = await verifyRecord(tx, tenant, { tenant: tenant.externalId, auditId })
  if (verified) return undefined
  const own = checks.find(({ name, ok }) => !ok && ['record', 'date', 'digest', 'leaf'].includes(name))
  if (own !== undefined) return `was changed. ${own.detail}`
  throw new ApiError(
    'unavailable',
    status === 'pending_seal'
      ? 'The export can’t be compared with the log until its record is signed. Try again in a minute.'
      : 'The export can’t be compared with the log, because the log of that day does not verify.',
  )
}

const objectOf = (value: JsonValue | undefined): JsonObject => (value !== undefined && isJsonObject(value) ? value : {})

const isMoment = (text: JsonValue | undefined, at: Date): boolean =>
  typeof text === 'string' && Date.parse(text) === at.getTime()

/** A row has the time of its transaction, its record the time of the commit. */
const isNear = (recorded: Date, stored: Date): boolean => Math.abs(recorded.getTime() - stored.getTime()) <= longestMs
const longestMs = 120_000

/** Undefined and null are the same: a record leaves out what is not there. */
const isSame = (recorded: JsonValue | undefined, stored: JsonValue): boolean =>
  canonicalJson(recorded ?? null) === canonicalJson(stored ?? null)
