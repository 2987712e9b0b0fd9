import { procedure, router } from '#server/kernel/trpc.ts'
import { createChannel } from './create-channel.ts'
import { listChannels } from './list-channels.ts'
import { listDeliveries } from './list-deliveries.ts'
import { removeChannel } from './remove-channel.ts'
import { resend } from './resend.ts'
import { rotateSecret } from './rotate-secret.ts'
import { testChannel } from './test-channel.ts'
import { updateChannel } from './update-channel.ts'

export const notifications = router({
  createChannel: procedure.mutation(createChannel),
  listChannels: procedure.query(listChannels),
  listDeliveries: procedure.query(listDeliveries),
  removeChannel: procedure.mutation(removeChannel),
  resend: procedure.mutation(resend),
  rotateSecret: procedure.mutation(rotateSecret),
  testChannel: procedure.mutation(testChannel),
  updateChannel: procedure.mutation(updateChannel),
})
