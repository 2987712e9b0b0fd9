import { sql } from 'kysely'
import type { ExportStatus } from '#lib/schemas/evidence.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { json } from '#server/kernel/db/json.ts'

const columns = [
  'id',
  'status',
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
  tx
    .selectFrom('evidenceExports')
    .select(columns)
    .$narrowType<{ status: ExportStatus }>()
    .where('tenantId', '=', tenantId)

export type StoredExport = NonNullable<Awaited<ReturnType<typeof findExport>>>

export const findExport = (tx: Transaction, tenantId: string, id: string) =>
  exportsOf(tx, tenantId).where('id', '=', id).executeTakeFirst()

export const lockExport = (tx: Transaction, tenantId: string, id: string) =>
  exportsOf(tx, tenantId).where('id', '=', id).forUpdate().executeTakeFirst()

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

export const findManifest = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .selectFrom('evidenceExports')
    .select(['status', 'manifest', 'manifestSha256'])
    .$narrowType<{ status: ExportStatus }>()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()

export async function insertExport(
  tx: Transaction,
  row: {
    tenantId: string
    id: string
    startAt: Date
    endAt: Date
    includeProofs: boolean
    includeRawPayloads: boolean
    requestedBy: string
  },
): Promise<void> {
  await tx
    .insertInto('evidenceExports')
    .values({ ...row, status: 'queued' })
    .execute()
}

/** Claims the job for one run of a worker. An earlier run that is still active finds another revision. */
export const claimExport = (tx: Transaction, tenantId: string, id: string) =>
  tx
    .updateTable('evidenceExports')
    .set({ revision: sql<number>`revision + 1` })
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'preflight', 'collecting', 'sealing'])
    .returning(columns)
    .$narrowType<{ status: ExportStatus }>()
    .executeTakeFirst()

export type ExportEnd = {
  manifest?: Buffer
  manifestSha256?: string
  archiveName?: string
  archiveBytes?: number
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
    })
    .where('tenantId', '=', where.tenantId)
    .where('id', '=', where.id)
    .where('status', '=', where.status)
    .where('revision', '=', where.revision)
    .returning('revision')
    .executeTakeFirst()
  return row?.revision
}
