import { procedure, router } from '#server/kernel/trpc.ts'
import { observed } from './list-observed.ts'

/** Procedures in the namespace of agents: the agents that telemetry names. */
export const observedAgents = router({ observed: procedure.query(observed) })
