import { decide } from '#server/approvals/decide.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { registerDecisions } from '#server/jobs.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import type { Runtime } from '#server/kernel/runtime.ts'
import { organisation } from './people.ts'
import { call, groups, roles } from './properties/same-person.ts'
import { testRuntime } from './tenant.ts'

/** A runtime in which decisions have their effects, and whose `queues` exist without anyone working on them. */
export async function holderRuntime(queues: readonly string[], environment: Record<string, string> = {}) {
  const running = await testRuntime({ environment })
  registerDecisions()
  onDecided('tool_call', async () => undefined)
  await running.queue.work(queues.map((queue) => ({ queue, concurrency: 1, run: () => Promise.resolve() })))
  return running
}

/** A new organisation: Ada and Nia administer and decide, Zoe only administers. */
export async function holders(running: Pick<Runtime, 'database'>) {
  const at = await organisation(running)
  return {
    at,
    ada: await at.person('ada', roles, groups),
    zoe: await at.person('zoe', ['tenant_admin']),
    nia: await at.person('nia', roles, groups),
  }
}

export const idOf = ({ principal }: Caller) => principal.memberId

export const approveAs = (by: Caller, approvalId: string) =>
  call(decide, by, { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read.' })
