import { procedure, router } from '#server/kernel/trpc.ts'
import { createErasure } from './create-erasure.ts'
import { createHold } from './create-hold.ts'
import { listAllErasures } from './list-erasures.ts'
import { listAllHolds } from './list-holds.ts'
import { releaseHold } from './release-hold.ts'

export const erasures = router({
  create: procedure.mutation(createErasure),
  list: procedure.query(listAllErasures),
})

export const holds = router({
  create: procedure.mutation(createHold),
  list: procedure.query(listAllHolds),
  release: procedure.mutation(releaseHold),
})
