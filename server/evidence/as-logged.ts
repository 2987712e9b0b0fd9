import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { findLastRecord } from '#server/audit/last-record-store.ts'
import { listKeyedRecords } from '#server/audit/sealing/signer-store.ts'
import { whyNotOurs } from '#server/audit/sealing/unkeyed-records.ts'
import type { LogOwner } from '#server/audit/store.ts'
import { verifyRecord } from '#server/audit/verifying/verify-record.ts'
import { IntegrityFailed } from '#server/kernel/bound/integrity-failed.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import type { RecordedExport, RecordPlace } from './store.ts'

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
  const read = await recordAt(tx, tenant, row.requestedIn)
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
  }).find(([, same]) => !same)
  return unlike && `Its ${unlike[0]} is not what the record of its request says.`
}

async function whyUnlikeState(tx: Transaction, tenant: LogOwner, row: RecordedExport): Promise<string | undefined> {
  const { status, reachedIn, manifestSha256, archiveSha256, archiveBytes, error } = row
  if (reachedIn === null) return status === 'queued' ? undefined : `No record says that it is ${status}.`
  if (reachedIn.status !== status) return `It is ${status}, and the newest record says ${reachedIn.status}.`
  const read = await recordAt(tx, tenant, reachedIn)
  if ('why' in read) return `The record of its state ${read.why}.`
  const { details } = read
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
  const read = await recordAt(tx, tenant, (await findLastRecord(tx, id, id, ['tenant.created'])) ?? null)
  const reason =
    'why' in read
      ? `The record of its creation ${read.why}.`
      : // Records of earlier versions don't have it.
        (read.details.name ?? name) === name
        ? undefined
        : 'Its name is not the one in the record of its creation.'
  if (reason !== undefined) throw new IntegrityFailed({ tenantId: id, type: 'tenant', id, reason })
}

type Read = { actor: JsonObject; details: JsonObject }

/** The record at a place, if this service wrote it. */
async function recordAt(tx: Transaction, tenant: LogOwner, at: RecordPlace | null): Promise<Read | { why: string }> {
  const [found] = at === null ? [] : await listKeyedRecords(tx, tenant.id, at.date, at.seq, at.seq + 1)
  if (found === undefined) return { why: 'does not exist' }
  // The signer signs none without a mac, except from the versions before there were any.
  const signed =
    found.mac === null &&
    (await verifyRecord(tx, tenant, { tenant: tenant.externalId, auditId: found.auditId })).verified
  const why = signed ? undefined : await whyNotOurs(tx, tenant, found)
  if (why !== undefined) return { why }
  const record = objectOf(found.record)
  return { actor: objectOf(record.actor), details: objectOf(record.details) }
}

const objectOf = (value: JsonValue | undefined): JsonObject => (value !== undefined && isJsonObject(value) ? value : {})

const isMoment = (text: JsonValue | undefined, at: Date): boolean =>
  typeof text === 'string' && Date.parse(text) === at.getTime()

/** Undefined and null are the same: a record leaves out what is not there. */
const isSame = (recorded: JsonValue | undefined, stored: JsonValue): boolean =>
  canonicalJson(recorded ?? null) === canonicalJson(stored ?? null)
