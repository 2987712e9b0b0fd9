import { z } from 'zod'
import { Id, page, Time, TraceId } from './common.ts'

/** The cursor is the last name of the page before. */
export const ListObservedAgentsInput = z.strictObject({
  limit: z.int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(200).optional(),
  /** Only those that are registered, or that nobody answers for. */
  registered: z.boolean().optional(),
})
/** An agent as telemetry names it. `registered` is false for one that nobody answers for. */
export const ObservedAgent = z.object({
  name: z.string(),
  registered: z.boolean(),
  agentId: Id.nullable(),
  firstSeenAt: Time,
  lastSeenAt: Time,
  lastTraceId: TraceId,
})
export const ObservedAgentList = page(ObservedAgent)
