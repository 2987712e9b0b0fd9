import { z } from 'zod'
import { Id, page, Time, TraceId } from './common.ts'

/** The cursor is the last name of the previous page. */
export const ListObservedAgentsInput = z.strictObject({
  limit: z.int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(200).optional(),
  /** Only registered agents, or only unregistered ones. */
  registered: z.boolean().optional(),
})
/** An agent as telemetry names it. `registered` is false if this tenant has not registered it. */
export const ObservedAgent = z.object({
  name: z.string(),
  registered: z.boolean(),
  agentId: Id.nullable(),
  firstSeenAt: Time,
  lastSeenAt: Time,
  lastTraceId: TraceId,
})
export const ObservedAgentList = page(ObservedAgent)
