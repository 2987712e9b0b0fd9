import { ApiError, notFound } from '#lib/errors.ts'
import { TestChannelInput, TestChannelOutput } from '#lib/schemas/notifications/channels.ts'
import { mutation } from '#server/kernel/operation.ts'
import { findChannel } from './channel-store.ts'
import { queueDelivery } from './tell-channels.ts'

/** Sends a message that says nothing but that the channel works. */
export const testChannel = mutation({
  permission: 'tenant:manage',
  input: TestChannelInput,
  output: TestChannelOutput,
  audit: ({ id }) => ({ action: 'notification_channel.tested', resource: { type: 'notification_channel', id } }),
  async run({ tx, tenant, input: { id } }) {
    const channel = await findChannel(tx, tenant.id, id)
    if (channel === undefined) throw notFound()
    if (channel.status === 'disabled') throw new ApiError('conflict', 'This channel is disabled. Turn it on first.')
    return {
      deliveryId: await queueDelivery(tx, tenant.id, { channelId: id, event: 'test', subjectId: id, facts: {} }),
    }
  },
})
