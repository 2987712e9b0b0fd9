import { procedure, router } from '#server/kernel/trpc.ts'
import { close } from './alarms/close.ts'
import { listAlarms } from './alarms/list.ts'
import { checkpoint } from './checkpoint.ts'
import { facets } from './facets.ts'
import { get } from './get.ts'
import { list } from './list.ts'

export const audit = router({
  list: procedure.query(list),
  facets: procedure.query(facets),
  get: procedure.query(get),
  checkpoint: procedure.query(checkpoint),
})

export const alarms = router({
  list: procedure.query(listAlarms),
  close: procedure.mutation(close),
})
