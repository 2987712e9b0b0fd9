import { procedure, router } from '#server/kernel/trpc.ts'
import { get } from './input-events/get.ts'
import { list as listEvents } from './input-events/list.ts'
import { list as listResolutions } from './input-resolutions/list.ts'
import { retry } from './input-resolutions/retry.ts'
import { cancel } from './input-waits/cancel.ts'
import { list as listWaits } from './input-waits/list.ts'

/** Procedures under `executions`. */
export const executionInputs = router({
  inputEvents: router({ get: procedure.query(get), list: procedure.query(listEvents) }),
  inputResolutions: router({ list: procedure.query(listResolutions), retry: procedure.mutation(retry) }),
  inputWaits: router({ cancel: procedure.mutation(cancel), list: procedure.query(listWaits) }),
})
