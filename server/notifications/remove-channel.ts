import { notFound } from '#lib/errors.ts'
import { RemoveChannelInput, RemoveChannelOutput } from '#lib/schemas/notifications/channels.ts'
import { mutation } from '#server/kernel/operation.ts'
import { deleteChannel } from './channel-store.ts'

/** Removes a channel with its deliveries. What waits to be sent is not sent. */
export const removeChannel = mutation({
  permission: 'tenant:manage',
  input: RemoveChannelInput,
  output: RemoveChannelOutput,
  audit: ({ id, reason }) => ({
    action: 'notification_channel.removed',
    resource: { type: 'notification_channel', id },
    reason,
  }),
  async run({ tx, tenant, input: { id } }) {
    if (!(await deleteChannel(tx, tenant.id, id))) throw notFound()
    return { id }
  },
})
