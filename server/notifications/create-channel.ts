import { ApiError } from '#lib/errors.ts'
import { hostOf } from '#lib/schemas/notifications/channel-address.ts'
import { CreateChannelInput, CreateChannelOutput } from '#lib/schemas/notifications/channels.ts'
import { newId } from '#server/kernel/ids.ts'
import { mutation } from '#server/kernel/operation.ts'
import { insertChannel, listChannelRows, mostChannels } from './channel-store.ts'
import { newSecret, sealEndpoint } from './endpoint.ts'
import { requireAddress } from './post.ts'

/** Adds a channel to the outside. The secret of a webhook is returned once. */
export const createChannel = mutation({
  permission: 'tenant:manage',
  input: CreateChannelInput,
  output: CreateChannelOutput,
  confidential: true,
  showsSecrets: true,
  audit: ({ kind, name, address, events }, output) => ({
    action: 'notification_channel.created',
    resource: { type: 'notification_channel', id: output?.id ?? 'none' },
    details: { kind, name, host: hostOf(address), events },
  }),
  async run({ tx, tenant, principal, input }) {
    const { kind, name, address, events } = input
    requireAddress(kind, address)
    if ((await listChannelRows(tx, tenant.id)).length >= mostChannels)
      throw new ApiError('conflict', `At most ${mostChannels} channels are possible. Remove one first.`)
    const id = newId()
    const secret = kind === 'webhook' ? newSecret() : undefined
    const endpoint = await sealEndpoint(tx, tenant.id, id, {
      address,
      secrets: secret === undefined ? [] : [{ secret }],
    })
    const row = { tenantId: tenant.id, id, kind, name, events, endpoint, createdBy: principal.memberId }
    if (!(await insertChannel(tx, { ...row, host: hostOf(address) })))
      throw new ApiError('name_conflict', `A channel named ${name} already exists.`)
    return { id, ...(secret !== undefined && { secret }) }
  },
})
