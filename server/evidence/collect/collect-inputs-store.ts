import { sql } from 'kysely'
import { isJsonObject } from '#lib/json.ts'
import { cursorRows } from '#server/kernel/db/cursor.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'
import { contentGone, type Period } from './collect-store.ts'
import { type ContentRow, contentOf, valueIn } from './row-content.ts'
import { inScope } from './scope-store.ts'

// Inputs from outside. collect-store.ts reads the other resources.

export async function* readInputEvents(
  tx: Transaction,
  tenantId: string,
  { start, end, scope }: Period,
  masked: boolean,
): AsyncGenerator<ContentRow> {
  const rows = cursorRows(
    tx,
    tx
      .selectFrom('inputEvents')
      .select(['id', 'fingerprint', 'attributes', 'executionId', 'inputName', 'data'])
      .select(contentGone('input_event', 'inputEvents'))
      .select(['status', 'submittedBy', 'revision', 'receivedAt', 'expiresAt', 'settledAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'inputEvents'))
      .where('receivedAt', '<', end)
      .where(({ eb, or }) => or([eb('settledAt', 'is', null), eb('settledAt', '>=', start)]))
      .orderBy('id'),
  )
  const cipher = await tenantCipher(tx, tenantId)
  for await (const { attributes, data, fingerprint, ...row } of rows) {
    const content = contentOf(cipher, 'input_events', [row.id], { attributes, data })
    const sent = valueIn(content, 'attributes')
    // The fingerprint of an event older than salts could be guessed from.
    const salted = isJsonObject(sent) && typeof sent.salt === 'string'
    yield { id: row.id, row: { ...row, fingerprint: salted || !masked ? fingerprint : null }, content }
  }
}

export const readInputWaits = (tx: Transaction, tenantId: string, { start, end, scope }: Period) =>
  cursorRows(
    tx,
    tx
      .selectFrom('inputWaits')
      .select(['id', 'executionId', 'stepId', 'inputName', 'onExpiry', 'status', 'eventId', 'revision'])
      .select(['openedAt', 'expiresAt', 'parkedAt', 'matchedAt', 'closedAt'])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'inputWaits'))
      .where('openedAt', '<', end)
      .where(({ eb, or }) => or([eb('closedAt', 'is', null), eb('closedAt', '>=', start)]))
      .orderBy('id'),
  )

export async function* readInputResolutions(
  tx: Transaction,
  tenantId: string,
  { end, scope }: Period,
): AsyncGenerator<ContentRow> {
  const rows = cursorRows(
    tx,
    tx
      .selectFrom('inputResolutions')
      .select(['id', 'waitId', 'eventId', 'channel', 'delivery', 'deliveryError', 'application', 'attempts'])
      .select([
        'revision',
        'createdAt',
        'deliveredAt',
        'appliedAt',
        'recipient',
        contentGone('input_resolution', 'inputResolutions'),
      ])
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'inputResolutions'))
      .where('createdAt', '<', end)
      .orderBy('id'),
  )
  const cipher = await tenantCipher(tx, tenantId)
  for await (const { recipient, ...row } of rows)
    yield { id: row.id, row, content: contentOf(cipher, 'input_resolutions', [row.id], { recipient }) }
}

/** Reads the files by digest, with the executions that used them. Their bytes are not part of the archive. */
export async function* readFiles(
  tx: Transaction,
  tenantId: string,
  { end, scope }: Period,
): AsyncGenerator<ContentRow> {
  const rows = cursorRows(
    tx,
    tx
      .selectFrom('files')
      .select(['id', 'sha256', 'bytes', 'name', 'mediaType', 'createdBy', 'createdAt'])
      .select(
        sql<{ executionId: string; role: string }[]>`coalesce((select jsonb_agg(jsonb_build_object(
            'executionId', used.execution_id, 'role', used.role) order by used.execution_id, used.role)
          from file_uses used where used.tenant_id = files.tenant_id and used.file_id = files.id), '[]')`.as('usedBy'),
      )
      .select(contentGone('file', 'files'))
      .where('tenantId', '=', tenantId)
      .where(inScope(tenantId, scope, 'files'))
      .where('createdAt', '<', end)
      .orderBy('id'),
  )
  const cipher = await tenantCipher(tx, tenantId)
  for await (const { name, ...row } of rows)
    yield { id: row.id, row, content: contentOf(cipher, 'files', [row.id], { name }) }
}
