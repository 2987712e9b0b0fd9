import type { JsonObject } from '#lib/json.ts'
import type { NotificationEvent } from '#lib/schemas/notifications/channels.ts'
import type { Tenant } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

/** What a message says: never arguments, and nothing that decides. */
export type Described = {
  title: string
  /** What programs go by: the ids of what the message is about, by the names that the operations have for them. */
  ids?: Partial<Record<'approvalId' | 'executionId' | 'agentId' | 'alarmId' | 'exportId', string>>
  /** What it has come to, with the event. */
  outcome?: string
  risk?: string
  requestedBy?: string
  /** The first eight characters of the payload digest, after its prefix. */
  digest?: string
  /** The page in the console. */
  path: string
}

/** Reads what a message says about its subject when it is sent, so that an erasure in between counts. Undefined if it is gone. */
export type Describe = (
  tx: Transaction,
  tenant: Tenant,
  subjectId: string,
  facts: JsonObject,
  event: NotificationEvent,
) => Promise<Described | undefined>

// Filled once by server/jobs.ts, because notifications does not import the domains that it reports.
const describers = new Map<string, Describe>()

/** `kind`: the part of the event's name before the dot. */
export function onDescribe(kind: string, describe: Describe): void {
  describers.set(kind, describe)
}

export const isDescribed = (kind: string): boolean => describers.has(kind)

export async function describe(
  tx: Transaction,
  tenant: Tenant,
  event: NotificationEvent,
  subjectId: string,
  facts: JsonObject,
): Promise<Described | undefined> {
  const [kind = ''] = event.split('.')
  const act = describers.get(kind)
  if (act === undefined) throw new Error(`No domain describes ${event}.`)
  return await act(tx, tenant, subjectId, facts, event)
}
