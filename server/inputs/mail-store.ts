import { sql } from 'kysely'
import type { Delivery } from '#lib/schemas/mail.ts'
import { contentContext } from '#server/kernel/content/tables.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { tenantCipher } from '#server/kernel/keys/tenant-keys.ts'

export const recipientContext = (id: string): string => contentContext('input_resolutions', [id], 'recipient')

/** Inserts the resolution for a question sent by mail; answers arrive as events with their own resolutions. */
export async function insertMailResolution(
  tx: Transaction,
  row: { tenantId: string; id: string; waitId: string; recipient: string },
): Promise<void> {
  const recipient = (await tenantCipher(tx, row.tenantId)).encryptJson(row.recipient, recipientContext(row.id))
  await tx
    .insertInto('inputResolutions')
    .values({
      ...row,
      recipient,
      eventId: null,
      channel: 'mail',
      delivery: 'pending',
      application: 'not_applied',
      attempts: 1,
    })
    .execute()
}

/** Copies the delivery from the mail's row. */
export async function setDelivery(
  tx: Transaction,
  tenantId: string,
  id: string,
  { delivery, error }: { delivery: Delivery; error: string | null },
): Promise<void> {
  await tx
    .updateTable('inputResolutions')
    .set((e) => ({
      delivery,
      deliveryError: error,
      revision: e('revision', '+', 1),
      ...(delivery === 'delivered' ? { deliveredAt: sql<Date>`clock_timestamp()` } : {}),
    }))
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .where('channel', '=', 'mail')
    .execute()
}
