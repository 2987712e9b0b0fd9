import { procedure, router } from '#server/kernel/trpc.ts'
import { archive } from './archive.ts'
import { create } from './create.ts'
import { createApiKey } from './create-api-key.ts'
import { get } from './get.ts'
import { list } from './list.ts'
import { revoke } from './revoke.ts'
import { setDestinations } from './set-destinations.ts'

export const secrets = router({
  archive: procedure.mutation(archive),
  create: procedure.mutation(create),
  createApiKey: procedure.mutation(createApiKey),
  get: procedure.query(get),
  list: procedure.query(list),
  revoke: procedure.mutation(revoke),
  setDestinations: procedure.mutation(setDestinations),
})
