import type { JsonValue } from '#lib/json.ts'
import type { Actor } from '#lib/schemas/common.ts'
import {
  ApplicationStatus,
  DeliveryStatus,
  type InputResolution,
  type InputWait,
  type Receipt,
  ReceiptStatus,
  SentText,
  WaitStatus,
} from '#lib/schemas/inputs.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { masksOf } from './listeners.ts'
import type { ReceiptRow, WaitRow } from './read-store.ts'
import type { listResolutions } from './resolution-store.ts'

const time = (at: Date | null): string | null => at?.toISOString() ?? null

type Mask = (value: JsonValue) => JsonValue

/** Receipts for display: senders' attributes are masked like all displayed content of their executions. */
export async function receiptViews(tx: Transaction, tenantId: string, rows: readonly ReceiptRow[]): Promise<Receipt[]> {
  const [masks, actor] = await Promise.all([
    masksOf(
      tx,
      tenantId,
      rows.map((row) => row.executionId),
    ),
    actorsById(
      tx,
      tenantId,
      rows.map((row) => row.submittedBy),
    ),
  ])
  return rows.map((row) => receiptView(row, actor, masks.get(row.executionId)?.(row.data) ?? whole))
}

/** For an unknown execution no manifest defines what is sensitive, so everything is masked. */
const whole: Mask = (value) => ({
  $masked: { class: 'unclassified', length: typeof value === 'string' ? value.length : JSON.stringify(value).length },
})

/** The four states of one event. An unmatched event past its time is shown as expired even before the housekeeping job runs. */
function receiptView(row: ReceiptRow, actor: (id: string) => Actor, mask: Mask): Receipt {
  const told = (text: string | null) => (text === null ? null : SentText.parse(mask(text)))
  const lapsed = row.status === 'received' && row.expiresAt.getTime() <= Date.now()
  const matched = row.waitId !== null && row.stepId !== null && row.matchedAt !== null
  return {
    receiptId: row.id,
    status: lapsed ? 'unmatched_expired' : ReceiptStatus.parse(row.status),
    correlation: { executionId: row.executionId, input: row.inputName },
    admission: {
      result: 'accepted',
      at: row.receivedAt.toISOString(),
      submittedBy: actor(row.submittedBy),
      fingerprint: row.fingerprint,
      idempotencyKey: told(row.attributes.idempotencyKey),
      source: told(row.attributes.source),
      id: told(row.attributes.id),
      type: told(row.attributes.type),
      subject: told(row.attributes.subject),
      expiresAt: row.expiresAt.toISOString(),
    },
    match: matched
      ? {
          waitId: row.waitId ?? '',
          stepId: row.stepId ?? '',
          waitStatus: WaitStatus.parse(row.waitStatus),
          at: time(row.matchedAt) ?? '',
        }
      : null,
    delivery:
      row.resolutionId === null
        ? null
        : {
            resolutionId: row.resolutionId,
            status: DeliveryStatus.parse(row.delivery),
            attempts: row.attempts ?? 0,
            at: time(row.deliveredAt),
          },
    application:
      row.resolutionId === null ? null : { status: ApplicationStatus.parse(row.application), at: time(row.appliedAt) },
    revision: row.revision,
  }
}

export const waitView = (row: WaitRow): InputWait => ({
  id: row.id,
  executionId: row.executionId,
  stepId: row.stepId,
  input: row.inputName,
  status: WaitStatus.parse(row.status),
  onExpiry: row.onExpiry === 'continue' ? 'continue' : 'fail',
  openedAt: row.openedAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  parkedAt: time(row.parkedAt),
  matchedAt: time(row.matchedAt),
  closedAt: time(row.closedAt),
  receiptId: row.eventId,
  revision: row.revision,
})

export const resolutionView = (row: Awaited<ReturnType<typeof listResolutions>>[number]): InputResolution => ({
  id: row.id,
  waitId: row.waitId,
  executionId: row.executionId,
  input: row.inputName,
  channel: row.channel === 'mail' ? 'mail' : 'event',
  receiptId: row.eventId,
  recipient: row.recipient,
  delivery: DeliveryStatus.parse(row.delivery),
  deliveryError: row.deliveryError,
  application: ApplicationStatus.parse(row.application),
  attempts: row.attempts,
  createdAt: row.createdAt.toISOString(),
  deliveredAt: time(row.deliveredAt),
  appliedAt: time(row.appliedAt),
  revision: row.revision,
})
