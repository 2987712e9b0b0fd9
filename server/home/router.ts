import { procedure, router } from '#server/kernel/trpc.ts'
import { activity } from './agent-activity.ts'
import { changes } from './changes.ts'
import { figures } from './figures.ts'
import { now } from './now.ts'

export const home = router({
  changes: procedure.query(changes),
  figures: procedure.query(figures),
  now: procedure.query(now),
})

/** Part of the router of agents. */
export const agentActivity = router({ activity: procedure.query(activity) })
