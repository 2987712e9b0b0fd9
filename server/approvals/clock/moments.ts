import type { Transaction } from '#server/kernel/db/database.ts'
import { runtime } from '#server/kernel/runtime.ts'

export const momentsQueue = 'approval-moments'

/** A moment before the end of a request at which something happens by itself. */
export type Moment = { name: string; kind: 'remind' | 'escalate'; at: Date; percent?: number }

type Times = {
  expiresAfterSeconds: number
  remindAt?: readonly number[] | undefined
  escalateAfterSeconds?: number | null | undefined
  passed: readonly string[]
}

/**
 * The moments that are not over yet, in order. They are counted back from the deadline, which is later by the time that the
 * clock of the request stood.
 */
export function momentsOf({ expiresAt }: { expiresAt: Date }, times: Times): Moment[] {
  const { expiresAfterSeconds: whole, remindAt = [], escalateAfterSeconds, passed } = times
  const after = (seconds: number) => new Date(expiresAt.getTime() - (whole - seconds) * 1000)
  const moments: Moment[] = remindAt.map((percent) => ({
    name: `remind ${percent}`,
    kind: 'remind',
    at: after((whole * percent) / 100),
    percent,
  }))
  if (typeof escalateAfterSeconds === 'number')
    moments.push({ name: 'escalate', kind: 'escalate', at: after(escalateAfterSeconds) })
  return moments
    .filter(({ name }) => !passed.includes(name))
    .sort((one, other) => one.at.getTime() - other.at.getTime())
}

/** Schedules the next moment of a request, if there is one. */
export async function enqueueNextMoment(
  tx: Transaction,
  tenantId: string,
  request: { id: string; expiresAt: Date },
  times: Times,
): Promise<void> {
  const [next] = momentsOf(request, times)
  if (next !== undefined) await runtime().queue.enqueue(tx, momentsQueue, { tenantId, id: request.id }, next.at)
}
