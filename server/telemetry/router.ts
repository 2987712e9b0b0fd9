import { procedure, router } from '#server/kernel/trpc.ts'
import { observed } from './list-observed.ts'

/** What stands with the agents: those that telemetry names. */
export const observedAgents = router({ observed: procedure.query(observed) })
