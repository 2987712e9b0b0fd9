import { ApiError, notFound } from '#lib/errors.ts'
import { hostOf } from '#lib/schemas/notifications/channel-address.ts'
import { ChannelKind, ChannelOutput, UpdateChannelInput } from '#lib/schemas/notifications/channels.ts'
import { mutation } from '#server/kernel/operation.ts'
import { actorsById } from '#server/tenants/actors.ts'
import { findChannel, listChannelRows, setChannel } from './channel-store.ts'
import { openEndpoint, sealEndpoint } from './endpoint.ts'
import { requireAddress } from './post.ts'
import { channelView } from './view.ts'

/** Changes a channel's name, address or events, or turns it off and on. */
export const updateChannel = mutation({
  permission: 'tenant:manage',
  input: UpdateChannelInput,
  output: ChannelOutput,
  audit: ({ id, address, expectedRevision: _, ...changes }) => ({
    action: 'notification_channel.updated',
    resource: { type: 'notification_channel', id },
    details: { ...changes, ...(address !== undefined && { host: hostOf(address) }) },
  }),
  async run({ tx, tenant, input }) {
    const { id, expectedRevision, name, address, events, status } = input
    const row = await findChannel(tx, tenant.id, id)
    if (row === undefined) throw notFound()
    if (address !== undefined) requireAddress(ChannelKind.parse(row.kind), address)
    const named = (await listChannelRows(tx, tenant.id)).find((other) => other.name === name && other.id !== id)
    if (named !== undefined) throw new ApiError('name_conflict', `A channel named ${name} already exists.`)
    const endpoint =
      address === undefined
        ? {}
        : {
            host: hostOf(address),
            endpoint: await sealEndpoint(tx, tenant.id, id, {
              ...(await openEndpoint(tx, tenant.id, id, row.endpoint)),
              address,
            }),
          }
    const next = {
      ...row,
      ...endpoint,
      ...(name !== undefined && { name }),
      ...(events !== undefined && { events }),
      ...(status !== undefined && { status, disabledReason: status === 'disabled' ? 'Turned off by a person.' : null }),
      revision: expectedRevision,
    }
    if (!(await setChannel(tx, tenant.id, next)))
      throw new ApiError('revision_conflict', 'This channel changed after you opened it. Reload it and try again.', {
        details: { revision: row.revision },
      })
    const actor = await actorsById(tx, tenant.id, [row.createdBy])
    return { channel: channelView({ ...next, revision: expectedRevision + 1 }, actor) }
  },
})
