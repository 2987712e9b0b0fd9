import { type RawBuilder, sql } from 'kysely'
import { type ExportProgress, type ExportScope, type ExportStage, ExportStatus } from '#lib/schemas/evidence.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

const columns = [
  'id',
  'status',
  'scope',
  'purpose',
  'run',
  'progress',
  'stages',
  'pollTimeoutMs',
  'archiveSha256',
  'archivePlace',
  'archiveGone',
  'archiveGoneAt',
  'startAt',
  'endAt',
  'includeProofs',
  'includeRawPayloads',
  'requestedBy',
  'manifestSha256',
  'archiveName',
  'archiveBytes',
  'omissions',
  'error',
  'revision',
  'createdAt',
  'endedAt',
] as const

const exportsOf = (tx: Transaction, tenantId: string) =>
  tx.selectFrom('evidenceExports').select(columns).$narrowType<Narrow>().where('tenantId', '=', tenantId)

/** What the columns contain that the database types as text or JSON. */
type Narrow = {
  status: ExportStatus
  scope: ExportScope | null
  progress: ExportProgress | null
  stages: { stage: ExportStage; at: string }[]
  archiveGone: 'retention_expired' | 'erased' | null
  error: { code: string; message: string } | null
}

export type StoredExport = NonNullable<Awaited<ReturnType<typeof findExport>>>

export const findExport = (tx: Transaction, tenantId: string, id: string) =>
  exportsOf(tx, tenantId).where('id', '=', id).executeTakeFirst()

export const lockExport = (tx: Transaction, tenantId: string, id: string) =>
  exportsOf(tx, tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

export const archiveNameOf = (id: string): string => `evidence-room-${id}.zip`

/** Where the log has a record. */
export type RecordPlace = { date: string; seq: number }
export type RecordedExport = NonNullable<Awaited<ReturnType<typeof findRecorded>>>

/** The export with the places of its records, all as of one moment: of its request, and of the state that it reached last. */
export const findRecorded = (tx: Transaction, tenantId: string, id: string) =>
  exportsOf(tx, tenantId)
    .where('id', '=', id)
    .select([
      sql<boolean>`encode(sha256(manifest), 'hex') is not distinct from manifest_sha256`.as('manifestIntact'),
      sql<RecordPlace | null>`${recordOf(['created'], sql`true order by r.date, r.seq`)}`.as('requestedIn'),
      // Nothing happens to the state after the end, so that the downloads of later days are not read.
      sql<(RecordPlace & { status: ExportStatus }) | null>`${recordOf(
        reachedStatuses,
        sql`(ended_at is null or r.date <= (ended_at at time zone 'UTC')::date + 1) order by r.date desc, r.seq desc`,
      )}`.as('reachedIn'),
    ])
    .executeTakeFirst()

const reachedStatuses = ExportStatus.options.filter((status) => status !== 'queued')

const prefix = 'evidence_export.'
const recordOf = (events: readonly string[], rest: RawBuilder<unknown>) => sql`(
  select jsonb_build_object('date', r.date, 'seq', r.seq, 'status', substring(r.type from ${prefix.length + 1}::int))
  from audit_records r
  where r.tenant_id = evidence_exports.tenant_id and r.resource_id = evidence_exports.id::text
    and r.type = any(${events.map((event) => `${prefix}${event}`)}) and ${rest} limit 1)`

/** Returns those of the exports that the member has requested. */
export async function listOwnExports(
  tx: Transaction,
  tenantId: string,
  memberId: string,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await exportsOf(tx, tenantId).where('requestedBy', '=', memberId).where('id', 'in', ids).execute()
  return rows.map(({ id }) => id)
}

/** Returns exports, newest first. Ids are in the order of creation. */
export async function listExports(
  tx: Transaction,
  tenantId: string,
  page: { limit: number; before: string | undefined },
): Promise<StoredExport[]> {
  let query = exportsOf(tx, tenantId)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return await query.orderBy('id', 'desc').limit(page.limit).execute()
}

/** The bytes of manifest.json with this SHA-256 (hex); null if the row does not have it. */
export async function findManifest(
  tx: Transaction,
  tenantId: string,
  { id, manifestSha256 }: Pick<StoredExport, 'id' | 'manifestSha256'>,
): Promise<Buffer | null> {
  const row = await tx
    .selectFrom('evidenceExports')
    .select('manifest')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where(sql<boolean>`encode(sha256(manifest), 'hex') = ${manifestSha256}`)
    .executeTakeFirst()
  return row?.manifest ?? null
}

export async function insertExport(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    startAt: Date
    endAt: Date
    includeProofs: boolean
    includeRawPayloads: boolean
    scope: ExportScope | null
    purpose: string | null
    pollTimeoutMs: number
    requestedBy: string
  },
): Promise<void> {
  await tx
    .insertInto('evidenceExports')
    .values({ ...row, scope: row.scope && json(row.scope), status: 'queued' })
    .execute()
}

/** Claims the job for one run of a worker. An earlier run that is still active finds another revision. */
export const claimExport = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .updateTable('evidenceExports')
    .set({ revision: sql<number>`revision + 1`, run: sql<number>`run + 1` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'preflight', 'collecting', 'sealing', 'verifying'])
    .returning(columns)
    .$narrowType<Narrow>()
    .executeTakeFirst()

export type ExportEnd = {
  manifest?: Buffer
  manifestSha256?: string
  archiveName?: string
  archiveBytes?: number
  archiveSha256?: string
  archivePlace?: string
  omissions?: { resource: string; id?: string; reason: string }[]
  error?: { code: string; message: string }
}

/** Compare-and-set on status and revision. Returns the new revision, or undefined if the row has changed. */
export async function setExportStatus(
  tx: Transaction,
  where: { tenantId: string; id: string; status: ExportStatus; revision: number },
  status: ExportStatus,
  end?: ExportEnd,
): Promise<number | undefined> {
  const { error, omissions, ...rest } = end ?? {}
  const row = await tx
    .updateTable('evidenceExports')
    .set({
      ...rest,
      status,
      revision: where.revision + 1,
      error: error && json(error),
      omissions: omissions && json(omissions),
      endedAt: end && sql<Date>`clock_timestamp()`,
      stages: end === undefined ? withStage(status) : undefined,
      progress: end === undefined ? undefined : null,
    })
    .where('tenantId', '=', where.tenantId)
    .where('id', '=', where.id)
    .where('status', '=', where.status)
    .where('revision', '=', where.revision)
    .returning('revision')
    .executeTakeFirst()
  return row?.revision
}

/** When a stage begins again after a crash, the list gets a second entry, and the later one counts. */
const withStage = (stage: string) =>
  sql<never>`stages || jsonb_build_array(jsonb_build_object('stage', ${stage}::text,
    'at', to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`

/** Sets the progress of a run, and nothing when another one has taken the export over or it has ended. */
export async function setProgress(
  tx: Transaction,
  { tenantId, id, run }: { tenantId: string; id: string; run: number },
  progress: ExportProgress,
  { begins = false } = {},
): Promise<void> {
  await tx
    .updateTable('evidenceExports')
    .set({ progress: json(progress), stages: begins ? withStage(progress.stage) : undefined })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('run', '=', run)
    .where('endedAt', 'is', null)
    .execute()
}

/** Notes where this run is going to store its archive, so that the next one finds what a crash left there. */
export async function setPlace(
  tx: Transaction,
  { tenantId, id, run }: { tenantId: string; id: string; run: number },
  archivePlace: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('evidenceExports')
    .set({ archivePlace })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('run', '=', run)
    .where('endedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
